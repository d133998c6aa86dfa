import { describe, expect, it } from 'vitest';
import { computeCommand } from '../../../../shared/puppet/commands/pure-command.ts';

/** Outcomes of systemd 252, coreutils 9.1 and OpenSSL 3.0. */
const PRINTED: readonly (readonly [readonly string[], string])[] = [
  [['systemd-escape', 'a/b c-d'], 'a-b\\x20c\\x2dd\n'],
  [['/usr/bin/systemd-escape', '--', '-x'], '\\x2dx\n'],
  [['systemd-escape', ''], '\n'],
  [['systemd-escape', '.hidden.é'], '\\x2ehidden.\\xc3\\xa9\n'],
  [['systemd-escape', 'a', 'b c'], 'a b\\x20c\n'],
  [['systemd-escape', '--path', '//a//./b/'], 'a-b\n'],
  [['systemd-escape', '-p', '/'], '-\n'],
  [['systemd-escape', '--suffix=mount', '--path', '/srv/data-1'], 'srv-data\\x2d1.mount\n'],
  [['systemd-escape', '--template=backup@.service', 'a b'], 'backup@a\\x20b.service\n'],
  [['systemd-escape', '--unescape', 'a-b\\x20c'], 'a/b c\n'],
  [['echo', 'a', 'b'], 'a b\n'],
  [['/bin/echo'], '\n'],
  [['basename', '/a/b/'], 'b\n'],
  [['dirname', '//a//b//'], '//a\n'],
  [['dirname', 'a'], '.\n'],
  [
    ['openssl', 'passwd', '-6', '-salt', 'abc', 'pw'],
    '$6$abc$MtSdWSZbhct2oe.SOqOUM2M/GA/uj5.vyVtJgRHgKi9uqXuWuJqOYE7H/YlsYGVg/YYzDV0xt3fEIwYt580.5.\n',
  ],
];

describe('commands whose outcome depends on their arguments alone', () => {
  it.each(PRINTED)('prints for %j', (argv, stdout) => {
    expect(computeCommand(argv)).toEqual({ stdout, stderr: '', status: 0 });
  });

  it('says on standard error what the command says', () => {
    expect(computeCommand(['systemd-escape', '-p', 'a/b'])).toEqual({
      stdout: 'a-b\n',
      stderr: "Input 'a/b' is not an absolute file system path, escaping is likely not going to be reversible.\n",
      status: 0,
    });
    expect(computeCommand(['systemd-escape'])).toEqual({ stdout: '', stderr: 'Not enough arguments.\n', status: 1 });
    expect(computeCommand(['false', 'x'])).toEqual({ stdout: '', stderr: '', status: 1 });
  });

  it.each([
    [['date']],
    [['cat', '/etc/passwd']],
    [['/opt/tools/systemd-escape', 'a']],
    [['systemd-escape', '--mangle', 'a']],
    [['systemd-escape', '-x']],
    [['systemd-escape', '-p', '/a/../b']],
    [['systemd-escape', '-u', '\\x2']],
    [['echo', '-e', 'a']],
    [['openssl', 'passwd', '-6', 'pw']],
    [['openssl', 'rand', '-hex', '4']],
    [[]],
  ])('computes nothing else: %j', (argv) => {
    expect(computeCommand(argv)).toBeNull();
  });
});
