import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileLocally } from '../../../../shared/cli/commands/compile-command.ts';
import { lookupNode } from '../../../../shared/cli/commands/lookup-command.ts';
import { addDoctorCommand } from '../../../../shared/moving-over/doctor/doctor-command.ts';

/** Files of the host that every user may read. */
const HOST_FILES = ['/etc/passwd', '/proc/self/environ'];

const SITE = `
node 'reader' {
  ${JSON.stringify(HOST_FILES)}.each |$path| {
    notice(find_file($path))
    notice(e::run("File.exist?('\${path}')"), e::run("File.read('\${path}')"), e::run("IO.readlines('\${path}')"))
    notice(inline_template("<%= File.read('\${path}') rescue $!.class %>"))
  }
  notice(lookup('outside'))
}
node 'other' { file('/etc/passwd') }
`;
/** What the node `reader` logs. */
const SEEN = [...HOST_FILES.flatMap(() => ['', 'false Errno::ENOENT Errno::ENOENT', 'Errno::ENOENT']), 'found'];

const fileTexts = (root: string): Readonly<Record<string, string>> => ({
  'facts.json': '{}',
  'outside/data.yaml': 'outside: found\n',
  'code/environments/production/hiera.yaml': `version: 5\ndefaults: { data_hash: yaml_data, datadir: ${root}/outside }\nhierarchy: [{ name: all, path: data.yaml }]\n`,
  'code/environments/production/manifests/site.pp': SITE,
  'code/environments/production/modules/e/lib/puppet/functions/e/run.rb': `
Puppet::Functions.create_function(:'e::run') do
  def run(code)
    eval(code)
  rescue SystemCallError => e
    e.class.name
  end
end
`,
  'code/environments/production/modules/e/lib/puppet/functions/e/leak.rb': `
Puppet::Functions.create_function(:'e::leak') do
  raise "SAW " + (File.read("/etc/passwd") rescue $!.class.name)[0, 20]
end
`,
});

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'host-files-'));
  for (const [path, text] of Object.entries(fileTexts(root))) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterAll(() => rmSync(root, { recursive: true }));

const messagesOf = (log: readonly string[]) => log.map((line) => line.replace(/^Notice: Scope\(\S+\): /, ''));

function compileNode(certname: string): readonly string[] {
  const { log } = compileLocally({
    certname,
    controlRepo: join(root, 'code'),
    environment: 'production',
    facts: join(root, 'facts.json'),
    set: [],
    explain: false,
    at: 0,
  });
  return messagesOf(log);
}

describe('code of modules', () => {
  it('sees no file of the host in understudy compile', () => {
    expect(compileNode('reader')).toEqual(SEEN);
    expect(compileNode('other')).toEqual([expect.stringContaining('Could not find any files from /etc/passwd')]);
  });

  it('sees no file of the host in understudy lookup', () => {
    const { output, log } = lookupNode({
      keys: ['outside'],
      node: 'reader',
      controlRepo: join(root, 'code'),
      environment: 'production',
      facts: join(root, 'facts.json'),
      sortMergedArrays: false,
      mergeHashArrays: false,
      explain: false,
      explainOptions: false,
      compile: true,
    });
    expect([output, messagesOf(log)]).toEqual(['--- found\n', SEEN]);
  });

  it('sees no file of the host in understudy doctor', async () => {
    const program = new Command();
    const printed: string[] = [];
    addDoctorCommand(program, {
      print: async (text) => void printed.push(text),
      warn: (line) => printed.push(line),
      exit: () => {},
      now: () => 0,
    });
    await program.parseAsync(['doctor', '--control-repo', join(root, 'code')], { from: 'user' });
    const text = printed.join('').replaceAll(/\s+/g, ' ');
    expect(text).toContain("Function Load Error for function 'e::leak': SAW Errno::ENOENT");
  });
});
