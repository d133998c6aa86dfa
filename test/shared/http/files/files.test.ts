import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../../shared/http/app.ts';
import { fileNameMatches } from '../../../../shared/puppet/ruby-core/file-name-match.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../../helpers/http-services.ts';

const ROOT = '/etc/puppetlabs/code/environments/production';
const FILES = {
  'environments/production/environment.conf': 'modulepath = site:modules\n',
  'environments/production/site/profile/lib/facter/flavour.rb': 'site flavour',
  'environments/production/site/profile/files/source.txt': 'a static source file\n',
  'environments/production/site/profile/files/tree/one.txt': 'one\n',
  'environments/production/site/profile/files/tree/run.sh': 'two\n',
  'environments/production/site/profile/files/tree/sub/three.txt': 'three\n',
  'environments/production/site/profile/files/tree/.git/config': 'x',
  'environments/production/site/profile/tasks/init.rb': 'task',
  'environments/production/modules/ntp/lib/facter/flavour.rb': 'module flavour',
  'environments/production/modules/ntp/lib/facter/drift.rb': 'drift',
  'environments/production/modules/ntp/locales/ja/ntp.po': 'ja',
};
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
let http: TestServices;

beforeAll(async () => {
  http = await httpServices();
  await deployFiles(http, 'production', FILES);
  await deployFiles(http, 'bare', {
    'environments/bare/environment.conf': 'modulepath = site\n',
    'environments/bare/site/profile/manifests/a.pp': '',
  });
});

async function get(path: string, headers: Record<string, string> = {}) {
  return http.app.request(path, { headers }, { peer: createPeer('web01.example.com') });
}

async function paths(query: string): Promise<string[]> {
  const response = await get(`/puppet/v3/file_metadatas/${query}`);
  const listed: { relative_path: string }[] = JSON.parse(await response.text());
  return listed.map((entry) => entry.relative_path);
}

describe('file_metadatas', () => {
  it('shows the module path alone when no module has such a folder', async () => {
    const response = await get(
      '/puppet/v3/file_metadatas/pluginfacts?recurse=true&links=follow&source_permissions=use&environment=bare',
    );
    expect(response.headers.get('Content-Type')).toBe('application/json;charset=utf-8');
    expect(await response.text()).toBe(
      '[{"path":"/etc/puppetlabs/code/environments/bare/site","relative_path":".","links":"follow","owner":0,"group":0,"mode":493,"checksum":{"type":"ctime","value":"{ctime}2026-11-20 22:12:50 +0000"},"type":"directory","destination":null}]',
    );
  });

  it('gives metadata in the form of the wire', async () => {
    const query = 'recurse=true&max_files=0&links=manage&checksum_type=sha256&source_permissions=ignore';
    const response = await get(`/puppet/v3/file_metadatas/modules/profile/tree/sub?${query}&environment=production`);
    const path = `${ROOT}/site/profile/files/tree/sub`;
    expect(JSON.parse(await response.text())).toEqual([
      {
        path,
        relative_path: '.',
        links: 'manage',
        owner: 0,
        group: 0,
        mode: 0o644,
        checksum: { type: 'ctime', value: '{ctime}2026-11-20 22:12:50 +0000' },
        type: 'directory',
        destination: null,
      },
      {
        path,
        relative_path: 'three.txt',
        links: 'manage',
        owner: 0,
        group: 0,
        mode: 0o644,
        checksum: { type: 'sha256', value: `{sha256}${sha256('three\n')}` },
        type: 'file',
        destination: null,
      },
    ]);
  });

  it.each([
    ['plugins?recurse=true&environment=production', ['.', 'facter', 'facter/flavour.rb', 'facter/drift.rb']],
    ['plugins?recurse=false&environment=production', ['.']],
    ['plugins?environment=production', ['.']],
    ['locales?recurse=true&environment=production', ['.', 'ja', 'ja/ntp.po']],
    [
      'modules/profile/tree?recurse=true&environment=production',
      ['.', '.git', 'one.txt', 'run.sh', 'sub', '.git/config', 'sub/three.txt'],
    ],
    [
      'modules/profile/tree?recurse=true&ignore=.svn&ignore=.git&environment=production',
      ['.', 'one.txt', 'run.sh', 'sub', 'sub/three.txt'],
    ],
    ['modules/profile/tree?recurse=true&ignore=.git&ignore=*.txt&environment=production', ['.', 'run.sh', 'sub']],
    [
      'modules/profile/tree?recurse=true&recurselimit=1&ignore=.git&environment=production',
      ['.', 'one.txt', 'run.sh', 'sub'],
    ],
    ['modules/profile/source.txt?recurse=true&environment=production', ['.']],
    ['tasks/profile?recurse=true&environment=production', ['.', 'init.rb']],
  ])('lists %s', async (query, expected) => {
    expect(await paths(query)).toEqual(expected);
  });

  it('takes a file that two modules have from the first', async () => {
    const response = await get('/puppet/v3/file_metadatas/plugins?recurse=true&environment=production');
    const listed: { path: string; relative_path: string }[] = JSON.parse(await response.text());
    const shown = listed.find((entry) => entry.relative_path === 'facter/flavour.rb');
    expect(shown?.path).toBe(`${ROOT}/site/profile/lib`);
    const content = await get('/puppet/v3/file_content/plugins/facter/flavour.rb?environment=production');
    expect(await content.text()).toBe('site flavour');
  });

  it('refuses more than max_files', async () => {
    const response = await get(
      '/puppet/v3/file_metadatas/modules/profile/tree?recurse=true&max_files=2&environment=production',
    );
    expect(response.status).toBe(500);
    expect((JSON.parse(await response.text()) as { message: string }).message).toMatch(
      /^Server Error: The directory '.*\/files\/tree' contains 6 entries, which exceeds the limit of 2 specified by/,
    );
  });

  it('shows a new deploy at once', async () => {
    await deployFiles(http, 'changing', { 'environments/changing/modules/a/lib/x.rb': '1' });
    expect(await paths('plugins?recurse=true&environment=changing')).toEqual(['.', 'x.rb']);
    await deployFiles(http, 'changing', { 'environments/changing/modules/a/lib/y.rb': '1' });
    expect(await paths('plugins?recurse=true&environment=changing')).toEqual(['.', 'y.rb']);
  });

  it('is compressed for those who take it', async () => {
    const path = '/puppet/v3/file_metadatas/plugins?recurse=true&environment=production';
    const packed = await get(path, { 'Accept-Encoding': 'gzip;q=1.0,deflate;q=0.6,identity;q=0.3' });
    expect(packed.headers.get('Content-Encoding')).toBe('gzip');
    const plain = await get(path, { 'Accept-Encoding': 'gzip;q=0' });
    expect(plain.headers.get('Content-Encoding')).toBeNull();
    const unpacked = new Response((await packed.blob()).stream().pipeThrough(new DecompressionStream('gzip')));
    expect(await unpacked.text()).toBe(await plain.text());
  });
});

describe('file_metadata', () => {
  it.each<[string, string, string]>([
    ['sha256', 'source.txt', `{sha256}${sha256('a static source file\n')}`],
    ['md5', 'source.txt', `{md5}${createHash('md5').update('a static source file\n').digest('hex')}`],
    ['sha256lite', 'source.txt', `{sha256lite}${sha256('a static source file\n')}`],
    ['mtime', 'source.txt', '{mtime}2026-11-20 22:12:50 +0000'],
    ['none', 'source.txt', '{none}'],
    ['etag', 'source.txt', `{etag}${createHash('md5').update('a static source file\n').digest('hex')}`],
  ])('takes the checksum %s', async (type, file, value) => {
    const query = `links=manage&checksum_type=${type}&environment=production`;
    const response = await get(`/puppet/v3/file_metadata/modules/profile/${file}?${query}`);
    expect(await response.json()).toMatchObject({ relative_path: null, checksum: { type, value }, mode: 0o644 });
  });

  it.each(['mtime', 'ctime'])('gives the time of the content for the checksum %s', async (type) => {
    const times = { 'environments/timed/modules/m/files/old': Date.parse('2020-01-02T00:00:00Z') / 1000 };
    const files = { 'environments/timed/modules/m/files/old': 'x', 'environments/timed/modules/m/files/new': 'y' };
    await deployFiles(http, 'timed', files, times);
    const read = async (path: string) => {
      const response = await get(`/puppet/v3/${path}checksum_type=${type}&environment=timed`);
      return response.json();
    };
    const checksum = { type, value: `{${type}}2020-01-02 00:00:00 +0000` };
    expect(await read('file_metadata/modules/m/old?')).toMatchObject({ checksum });
    const unknown = { type, value: `{${type}}2026-11-20 22:12:50 +0000` };
    expect(await read('file_metadatas/modules/m?recurse=true&')).toMatchObject([
      { relative_path: '.' },
      { relative_path: 'new', checksum: unknown },
      { relative_path: 'old', checksum },
    ]);
  });

  it.each(['file_metadata', 'file_metadatas'])('knows no etag in %s at the level of Puppet 8', async (route) => {
    const { services } = http;
    const app = createApp({ ...services, settings: { ...services.settings, language: 'puppet-8' } });
    const path = `/puppet/v3/${route}/modules/profile/tree?checksum_type=etag&environment=production`;
    const response = await app.request(path, {}, { peer: createPeer('web01.example.com') });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ message: 'Server Error: Unsupported checksum type etag' });
  });

  it('gives the mode of the source when it is wanted', async () => {
    const query = 'source_permissions=use&environment=production';
    const response = await get(`/puppet/v3/file_metadata/modules/profile/tree/run.sh?${query}`);
    expect(await response.json()).toMatchObject({ path: `${ROOT}/site/profile/files/tree/run.sh`, mode: 0o755 });
  });
});

describe('file_content', () => {
  it.each([
    ['modules/profile/source.txt', 'a static source file\n'],
    ['locales/ja/ntp.po', 'ja'],
    ['tasks/profile/init.rb', 'task'],
    ['plugins/facter/drift.rb', 'drift'],
  ])('sends %s', async (path, text) => {
    const response = await get(`/puppet/v3/file_content/${path}?environment=production`);
    expect(response.headers.get('Content-Type')).toBe('application/octet-stream');
    expect(response.headers.get('Content-Length')).toBe(String(text.length));
    expect(await response.text()).toBe(text);
  });

  it('takes a folder for an empty file, as Puppet does', async () => {
    const response = await get('/puppet/v3/file_content/modules/profile/tree?environment=production');
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

describe('fileNameMatches', () => {
  it.each<[string, string, boolean]>([
    ['.git', '.git', true],
    ['CVS', 'cvs', false],
    ['*.pot', 'a.pot', true],
    ['*.pot', '.pot', false],
    ['*', '.hidden', false],
    ['.*', '.hidden', true],
    ['config.yaml', 'configXyaml', false],
    ['a?c', 'abc', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['a(b)+', 'a(b)+', true],
    ['*.d', 'conf.d.d', true],
    ['a*b*c', 'abxbc', true],
    ['a*b*c', 'abxb', false],
    ['[]x', '[]x', false],
    ['[]x', ']x', false],
    ['[^]x', 'ax', true],
    ['[', '[', false],
    ['[b-a]x', 'ax', true],
    ['[c-a]x', 'bx', false],
    [`${'*a'.repeat(30)}*b`, 'a'.repeat(200), false],
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(fileNameMatches(pattern, name)).toBe(expected);
  });
});
