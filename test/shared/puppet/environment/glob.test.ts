import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanEnvironment } from '../../../../shared/fleet/code/scan-environment.ts';
import { DiskTree } from '../../../../shared/puppet/environment/disk-tree.ts';
import { globPaths } from '../../../../shared/puppet/environment/glob.ts';
import { snapshotTree } from '../../../../shared/puppet/environment/snapshot-environment.ts';
import { RecordedAnswers } from '../../../helpers/recorded-answers.ts';

/** Hidden names, names of macOS and editors, and names in which byte order and case matter. */
const FILES = [
  'site.pp a.pp a-b.pp a/x.pp a/.h.pp .old/o.pp ._site.pp B.pp b/deep/z.pp dir.pp/in.pp #x.pp# .#x.pp x.pp~ .x.pp.swp',
  'é.pp \u{1f600}.pp \uff21.pp [q].pp q.pp -.pp ].pp data/{b}.pp data/1.yaml data/2.yml .DS_Storm/s.pp x.PP X/x.pp',
].flatMap((names) => names.split(' '));
const FOLDERS = ['empty', '.emptyhidden', 'below/empty'];
const LINKS = {
  linkdir: '../real',
  'linkfile.pp': '../real/r.pp',
  'broken.pp': '../nowhere',
  broken: 'broken2',
  'a/up': '../b',
  '.hiddenlink': '../real',
};
const REAL = ['real/r.pp', 'real/sub/s.pp', 'real/.hid/h.pp'];

const PATTERNS = [
  'm/**/* m/**/*.pp m/* m/.* m/**/.* m/*/ m/**/ m/*/*.pp m/linkdir/**/* m/**/r.pp m/broken m/broken.pp m/broken/ m/b*',
  'm/{b,a}/* m/** m/**.pp m/[[]q].pp m/\\[q].pp m/[a-b].pp m/[^a]*.pp m/[!a]*.pp m/?.pp m/{a,é}.pp m/**/**/*.pp m/B*',
  'm/**/a/**/*.pp m/.old/* m/.*/* m/**/linkdir/* m/{.old,a}/**/* m/site.pp/ m/site.pp/* m/{a m/a} m/{}site.pp m/\\{a',
  'm/[ m/[]a].pp m/[^]a].pp m/[b-a].pp m/[z-a].pp m/{a,{b,e}*}/ m/**/{x,z}.pp m/\\a.pp m/**/z* **/z.pp m/[\\]q].pp',
  'm/{*,.*}.pp m/*{,.pp} m/**/deep m/**/deep/ m/**/sub/ m/linkdir/* m/.**/* m/**/.*/* m/**/*/ m/**/up/* m/a/*/*.pp',
  'm/data/\\{b\\}.pp m/data/{1,2}.y*ml m/data/[0-9].y* m/data/[12].{yml,yaml} m/below/* m/below/**/ m/*/empty m/[x-z].PP',
  'm/[a-\u{1f600}].pp m/x.pp m/nope/* m/nope m nope*/x m/*/x.pp m/[.]old/* m/\\.old/* m/**/[xz].pp m/[!x-z].pp m/x.p[p-]',
].flatMap((patterns) => patterns.split(' '));

const SCRIPT = 'require "json"; Dir.chdir(ARGV[0]); puts JSON.generate(ARGV[1..].map { |each| Dir.glob(each) })';
const RECORDED = new RecordedAnswers({ name: 'glob', test: import.meta.filename, sources: () => ({}) });

const folder = mkdtempSync(join(tmpdir(), 'understudy-glob-'));
const root = join(folder, 'environments', 'production');

beforeAll(() => {
  for (const path of [...FILES.map((name) => `m/${name}`), ...REAL, 'environment.conf']) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
  for (const path of FOLDERS) mkdirSync(join(root, 'm', path), { recursive: true });
  for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, join(root, 'm', path));
});

afterAll(() => {
  RECORDED.finish();
  rmSync(folder, { recursive: true });
});

/** The paths that Ruby finds below the root, without the dots that `.*` gives. */
function askRuby(): readonly (readonly string[])[] {
  return RECORDED.get([FILES, FOLDERS, LINKS, REAL, PATTERNS], () =>
    JSON.parse(
      execFileSync('ruby', ['-Ku', '-E', 'UTF-8:UTF-8', '-e', SCRIPT, root, ...PATTERNS], { encoding: 'utf8' }),
    ),
  );
}

function normalize(paths: readonly string[]): readonly string[] {
  return paths.map((path) => posix.join(path, '.'));
}

describe('globPaths', () => {
  it('finds on a disk what Ruby finds, in its order', () => {
    const tree = new DiskTree();
    const found = PATTERNS.map((each) => globPaths(`${root}/${each}`, tree).map((path) => posix.relative(root, path)));
    expect(pairs(found)).toEqual(pairs(askRuby().map(normalize)));
  });

  it('finds in a snapshot of the disk what Ruby finds', async () => {
    const { snapshot } = await scanEnvironment(folder, 'production');
    const tree = snapshotTree(snapshot, () => new Uint8Array());
    const served = '/etc/puppetlabs/code/environments/production';
    const found = PATTERNS.map((each) =>
      globPaths(`${served}/${each}`, tree).map((path) => posix.relative(served, path)),
    );
    expect(pairs(found)).toEqual(pairs(askRuby().map(normalize)));
  });
});

function pairs(found: readonly (readonly string[])[]): readonly unknown[] {
  return found.map((paths, index) => [PATTERNS[index], paths]);
}
