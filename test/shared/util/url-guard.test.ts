import { describe, expect, it } from 'vitest';
import { lookupOwn, type Reach, readOwnUrl, UrlGuard } from '../../../shared/util/url-guard.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.215.14'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'inner.example': ['10.0.0.7'],
  'metadata.example': ['169.254.169.254'],
  'chosen-metadata.example': ['169.254.169.254'],
};

async function resolve(host: string): Promise<readonly string[]> {
  const found = NAMES[host];
  if (found === undefined) throw new Error(`${host} is unknown`);
  return found;
}

async function judge(url: string, reach: Reach): Promise<'asked' | 'refused'> {
  const guard = new UrlGuard(reach, new Set(['chosen.example', 'chosen-metadata.example']), async (host) =>
    host === 'chosen.example' ? ['127.0.0.1'] : resolve(host),
  );
  return guard.demand(url, 'git').then(
    () => 'asked',
    () => 'refused',
  );
}

describe('a URL that somebody else wrote', () => {
  it.each([
    ['https://public.example/x', 'asked', 'asked'],
    ['ssh://git@public.example/x', 'asked', 'asked'],
    ['git@public.example:x.git', 'asked', 'asked'],
    ['git://chosen.example/x', 'asked', 'asked'],
    ['https://inner.example/x', 'refused', 'asked'],
    ['git@inner.example:x.git', 'refused', 'asked'],
    ['https://192.168.1.1/x', 'refused', 'asked'],
    ['https://[fd12::1]/x', 'refused', 'asked'],
    ['https://mixed.example/x', 'refused', 'refused'],
    ['https://metadata.example/x', 'refused', 'refused'],
    ['https://chosen-metadata.example/x', 'refused', 'refused'],
    ['https://[fd00:ec2::254]/x', 'refused', 'refused'],
    ['https://unknown.example/x', 'refused', 'refused'],
    ['https://127.1/x', 'refused', 'refused'],
    ['git://127.1/x', 'refused', 'refused'],
    ['ssh://2130706433/x', 'refused', 'refused'],
    ['https://0x7f000001/x', 'refused', 'refused'],
    ['https://0.0.0.0/x', 'refused', 'refused'],
    ['https://[::]/x', 'refused', 'refused'],
    ['https://[::1]/x', 'refused', 'refused'],
    ['https://[::ffff:127.0.0.1]/x', 'refused', 'refused'],
    ['https://[64:ff9b::169.254.169.254]/x', 'refused', 'refused'],
    ['https://[2002:7f00:1::]/x', 'refused', 'refused'],
    ['https://[fe80::1]/x', 'refused', 'refused'],
    ['git://localhost/x', 'refused', 'refused'],
    ['file:///etc', 'refused', 'refused'],
    ['ext::sh -c x', 'refused', 'refused'],
    ['/etc', 'refused', 'refused'],
    ['ftp://public.example/x', 'refused', 'refused'],
  ])('%s is %s, and %s where private addresses are allowed', async (url, strict, open) => {
    expect([await judge(url, 'public'), await judge(url, 'private')]).toEqual([strict, open]);
  });
});

describe('a URL that the operator configures', () => {
  it.each([
    ['https://127.0.0.1:8140', null],
    ['https://10.0.0.7:8140', null],
    ['https://puppet.example.com:8140', null],
    ['https://169.254.169.254', "169.254.169.254 is an address of the machine's own link"],
    ['https://[fe80::1]', "fe80::1 is an address of the machine's own link"],
    ['https://0xa9fea9fe/', "169.254.169.254 is an address of the machine's own link"],
    ['https://0.0.0.0', "0.0.0.0 is an address of the machine's own link"],
    ['http://puppet.example.com:8140', 'only https:// may be written there'],
    ['file:///etc/passwd', 'only https:// may be written there'],
  ])('%s is refused with: %s', (url, fault) => {
    const read = () => readOwnUrl(url, 'upstream').href;
    if (fault === null) expect(read()).toBe(new URL(url).href);
    else expect(read).toThrow(`'${url}' is refused: ${fault}`);
  });

  it('is connected at the address that was looked at', async () => {
    const find = (host: string) =>
      new Promise((resolve, reject) => {
        lookupOwn(host, {}, (error, address) => (error === null ? resolve(address) : reject(error)));
      });
    expect(await find('127.0.0.1')).toBe('127.0.0.1');
    await expect(find('169.254.169.254')).rejects.toThrow("an address of the machine's own link");
  });
});
