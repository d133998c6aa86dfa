import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPuppet } from '../helpers/puppet.ts';
import { EditableControlRepo } from './control-repo.ts';
import { LocalProcess } from './local-process.ts';
import { PuppetAgent } from './puppet-agent.ts';
import { openWithSmallAuthority } from './small-authority.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-e2e-files-'));
const data = join(folder, 'data');
const controlRepo = new EditableControlRepo(join(folder, 'control-repo'));
const agent = new PuppetAgent('files.example.com');
const root = agent.root;
/** Sizes beyond what goes out in one piece. */
const LARGE = Buffer.alloc(20 * 1024 * 1024, 'large file ');
const OLD_TEXT = 'what an operator wrote\n';
let local: LocalProcess;

const MANIFEST = `class profile::files {
  $root = $facts['e2e_root']
  file { "\${root}/tree":
    ensure => directory, recurse => true, purge => true, force => true, links => manage, ignore => ['*.skip', '.hidden'],
    source => 'puppet:///modules/profile/tree',
  }
  file { "\${root}/followed":
    ensure => directory, recurse => remote, links => follow, ignore => 'to-nothing', source => 'puppet:///modules/profile/tree',
  }
  file { "\${root}/large.bin": ensure => file, source => 'puppet:///modules/profile/large.bin' }
  file { "\${root}/md5": ensure => file, checksum => md5, source => 'puppet:///modules/profile/tree/one.txt' }
  file { "\${root}/key": ensure => file, source => 'puppet:///private/key.txt' }
  filebucket { 'server': server => 'localhost', path => false, port => Integer($facts['e2e_port']) }
  file { "\${root}/backed-up": ensure => file, backup => 'server', content => "what Puppet wrote\\n" }
}
`;

beforeAll(async () => {
  if (!hasPuppet()) return;
  controlRepo.write('manifests/site.pp', 'include profile::files\n');
  controlRepo.write('site/profile/manifests/files.pp', MANIFEST);
  for (const [name, text] of Object.entries({
    'one.txt': 'one\n',
    'a.skip': 'x',
    '.hidden': 'x',
    'sub/two.txt': 'two\n',
  })) {
    controlRepo.write(`site/profile/files/tree/${name}`, text);
  }
  const tree = join(controlRepo.directory, 'environments/production/site/profile/files/tree');
  symlinkSync('one.txt', join(tree, 'to-one'));
  symlinkSync('gone', join(tree, 'to-nothing'));
  writeFileSync(join(tree, '..', 'large.bin'), LARGE);
  controlRepo.write('site/profile/locales/ja/profile.po', 'msgid ""\nmsgstr ""\n');
  controlRepo.write('fileserver.conf', '[private]\n  path private/%H\n');
  controlRepo.write('private/files.example.com/key.txt', 'key of this node\n');
  controlRepo.write('private/other.example.com/key.txt', 'key of another\n');
  writeFileSync(join(root, 'backed-up'), OLD_TEXT);
  (await openWithSmallAuthority(data)).close();
  local = await LocalProcess.start({ data, controlRepo: controlRepo.directory });
});

afterAll(async () => {
  await local?.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

function run(...more: readonly string[]) {
  return agent.run(local.port, { e2e_port: String(local.port) }, 0, more);
}

/** Changes the control repo, and waits until the server has deployed it. */
async function edit(change: () => void): Promise<void> {
  const before = local.lines.length;
  change();
  await local.waitFor(/deployed production/, before);
}

describe.skipIf(!hasPuppet())('an agent that gets files', () => {
  it('has them as the modules have them: links, folders, large ones, its own of a mount', async () => {
    const { output, code } = await run();
    expect(output).not.toMatch(/^Error: (?!Facter)/m);
    expect(code).toBe(2);
    expect(readdirSync(join(root, 'tree')).sort()).toEqual(['one.txt', 'sub', 'to-nothing', 'to-one']);
    expect(readlinkSync(join(root, 'tree/to-one'))).toBe('one.txt');
    expect(readlinkSync(join(root, 'tree/to-nothing'))).toBe('gone');
    expect(lstatSync(join(root, 'followed/to-one')).isFile()).toBe(true);
    expect(readFileSync(join(root, 'followed/to-one'), 'utf8')).toBe('one\n');
    expect(readFileSync(join(root, 'tree/sub/two.txt'), 'utf8')).toBe('two\n');
    expect(readFileSync(join(root, 'large.bin')).equals(LARGE)).toBe(true);
    expect(readFileSync(join(root, 'md5'), 'utf8')).toBe('one\n');
    expect(readFileSync(join(root, 'key'), 'utf8')).toBe('key of this node\n');
  });

  it('changes nothing the second time, and purges what is not in the source', async () => {
    expect((await run()).code).toBe(0);
    writeFileSync(join(root, 'tree/foreign.txt'), 'x');
    const { output } = await run();
    expect(output).toContain('tree/foreign.txt]/ensure: removed');
    expect(existsSync(join(root, 'tree/foreign.txt'))).toBe(false);
  });

  it('backs up to the bucket of the server, and gets it back', async () => {
    const digest = createHash('sha256').update(OLD_TEXT).digest('hex');
    expect(readFileSync(join(root, 'backed-up'), 'utf8')).toBe('what Puppet wrote\n');
    const bucket = ['--server', 'localhost', '--remote'];
    const got = await agent.command(local.port, 'filebucket', 'get', digest, ...bucket);
    expect([got.code, got.output]).toEqual([0, OLD_TEXT]);
    const restored = join(root, 'restored');
    const restore = await agent.command(local.port, 'filebucket', 'restore', restored, digest, ...bucket);
    expect([restore.code, readFileSync(restored, 'utf8')]).toEqual([0, OLD_TEXT]);
    writeFileSync(restored, 'put by hand\n');
    const backup = await agent.command(local.port, 'filebucket', 'backup', restored, ...bucket);
    const byHand = createHash('sha256').update('put by hand\n').digest('hex');
    expect([backup.code, backup.output]).toEqual([0, `${restored}: ${byHand}\n`]);
    expect((await agent.command(local.port, 'filebucket', 'get', byHand, ...bucket)).output).toBe('put by hand\n');
  });

  it('gets plugins that are added, and loses those that are removed', async () => {
    const lib = join(agent.folder, 'vardir', 'lib');
    expect(existsSync(join(lib, 'facter/e2e_flavour.rb'))).toBe(true);
    await edit(() => {
      controlRepo.remove('site/profile/lib/facter/e2e_flavour.rb');
      controlRepo.write('site/profile/lib/facter/e2e_colour.rb', "Facter.add(:e2e_colour) { setcode { 'red' } }\n");
      controlRepo.write('site/profile/lib/puppet/functions/profile/agent_side.rb', AGENT_SIDE_FUNCTION);
      controlRepo.write('site/profile/lib/puppet/type/e2e_thing.rb', TYPE);
    });
    const { output } = await run();
    expect(output).toMatch(/e2e_flavour\.rb\]\/ensure: removed/);
    const files = ['facter/e2e_colour.rb', 'puppet/functions/profile/agent_side.rb', 'puppet/type/e2e_thing.rb'];
    expect(files.filter((file) => !existsSync(join(lib, file)))).toEqual([]);
    expect(existsSync(join(lib, 'facter/e2e_flavour.rb'))).toBe(false);
    await edit(() => controlRepo.remove('site/profile/lib/puppet/type/e2e_thing.rb'));
    await run();
    expect(existsSync(join(lib, 'puppet/type/e2e_thing.rb'))).toBe(false);
  });

  it('gets translations when it wants them', async () => {
    await run('--no-disable_i18n');
    expect(existsSync(join(agent.folder, 'vardir', 'locales/ja/profile.po'))).toBe(true);
  });

  it('gets a large file that changed', async () => {
    const changed = Buffer.concat([LARGE, Buffer.from('more')]);
    await edit(() => {
      writeFileSync(join(controlRepo.directory, 'environments/production/site/profile/files/large.bin'), changed);
    });
    await run();
    expect(statSync(join(root, 'large.bin')).size).toBe(changed.length);
    expect(readFileSync(join(root, 'large.bin')).equals(changed)).toBe(true);
  });
});

const AGENT_SIDE_FUNCTION = `Puppet::Functions.create_function(:'profile::agent_side') do
  def agent_side; 'x'; end
end
`;
const TYPE = `Puppet::Type.newtype(:e2e_thing) do
  newparam(:name)
end
`;
