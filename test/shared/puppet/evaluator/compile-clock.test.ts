import { describe, expect, it } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { compileSource } from '../../../helpers/compile-source.ts';
import { stdlibModule } from '../../../helpers/stdlib-module.ts';

/** A time with a fraction, so that whole seconds and nanoseconds differ. */
const NOW = 1_800_000_000_400_000_000n;
const SECOND = 1_000_000_000n;
const LAST = 1_799_990_000;

interface Compiled {
  readonly catalog: string;
  readonly volatile: readonly string[];
  /** Nanoseconds after `NOW`. */
  readonly until: bigint | null;
}

/** Compiles a class with this body at a time; `files` are of the environment. */
function compileAt(now: bigint, body: string, files: Readonly<Record<string, string>>): Compiled {
  const inputs = new Inputs();
  const all = {
    ...files,
    'modules/c/manifests/init.pp': `class c { ${body} }`,
    ...stdlibModule('8'),
  };
  const result = compileSource('include c', { inputs, clock: () => now, files: all });
  const { volatile, currentUntil } = inputs.getResult();
  const until = currentUntil === null ? null : BigInt(currentUntil) * 1_000_000n - NOW;
  return { catalog: result.status === 'ok' ? result.catalog : JSON.stringify(result), volatile, until };
}

const show = (condition: string) => `if ${condition} { notify { 'yes': } } else { notify { 'no': } }`;
const SECONDS = "Integer(Timestamp().strftime('%s'))";
/** puppetlabs-apt, manifests/update.pp */
const apt = (last: number, seconds = 86400) => `
  $daily_threshold = (Integer(Timestamp().strftime('%s')) - ${seconds})
  if ${last} + 0 < $daily_threshold { $_kick_apt = true } else { $_kick_apt = false }
  if $_kick_apt { $_refresh = false } else { $_refresh = true }
  notify { "refresh \${_refresh}": }`;

describe('a comparison with the present time', () => {
  it.each<[string, string, bigint | null]>([
    ['a threshold of puppetlabs-apt', apt(LAST), 76_401n * SECOND - 400_000_000n],
    ['a threshold that has passed', apt(LAST, 3600), null],
    ['seconds, below', show(`${SECONDS} < 1800000060`), 60n * SECOND - 400_000_000n],
    ['seconds, at most', show(`${SECONDS} <= 1800000060`), 61n * SECOND - 400_000_000n],
    ['seconds, above', show(`${SECONDS} > 1800000060`), 61n * SECOND - 400_000_000n],
    ['seconds, at least', show(`${SECONDS} >= 1800000060`), 60n * SECOND - 400_000_000n],
    ['seconds on the right', show(`1800000060 > ${SECONDS}`), 60n * SECOND - 400_000_000n],
    ['seconds on the right, at most', show(`1800000060 <= ${SECONDS}`), 60n * SECOND - 400_000_000n],
    ['seconds that have passed', show(`${SECONDS} > 1700000000`), null],
    ['a fraction', show(`${SECONDS} > 1800000060.5`), 61n * SECOND - 400_000_000n],
    ['a constant added in front', show(`60 + ${SECONDS} >= 1800000120`), 60n * SECOND - 400_000_000n],
    ['Integer of a Timestamp', show('Integer(Timestamp()) >= 1800000060'), 60n * SECOND - 400_000_000n],
    ['the methods', show("Integer(Timestamp.new.strftime('%s')) >= 1800000060"), 60n * SECOND - 400_000_000n],
    ['the function', show("Integer(strftime(Timestamp.new(), '%s')) >= 1800000060"), 60n * SECOND - 400_000_000n],
    ['time()', show('time() - 60 >= 1800000000'), 60n * SECOND - 400_000_000n],
    ['a Timestamp', show("Timestamp() < Timestamp('2027-01-15T08:01:00')"), 59_600_000_000n],
    ['a Timestamp, exceeded', show("Timestamp() <= Timestamp('2027-01-15T08:01:00')"), 59_601_000_000n],
    [
      'a Timespan',
      show("Timestamp() - Timespan({'minutes' => 1}) >= Timestamp('2027-01-15T08:00:00')"),
      59_600_000_000n,
    ],
    ['the first of two', `${show(`${SECONDS} < 1800000060`)} ${apt(LAST)}`, 60n * SECOND - 400_000_000n],
    ['a condition of Puppet', `unless ${SECONDS} < 1800000060 { notify { 'x': } }`, 60n * SECOND - 400_000_000n],
    [
      'a variable in a selector',
      `$t = ${SECONDS}\n$x = $t > 1800000060 ? { true => 'a', default => 'b' }\nnotify { $x: }`,
      61n * SECOND - 400_000_000n,
    ],
    [
      'a variable in a block',
      `$t = ${SECONDS}\n[1].each |$x| { if $t > 1800000060 { notify { 'x': } } }`,
      61n * SECOND - 400_000_000n,
    ],
    ['a variable that is only set', `$t = ${SECONDS}\nnotify { 'x': }`, null],
    [
      'a variable that is compared twice',
      `$t = time()\n${show('$t > 1800000060')}\nif $t > 1800000070 { notify { 'z': } }`,
      61n * SECOND - 400_000_000n,
    ],
  ])('gives a catalog that is current until it changes: %s', (_, body, until) => {
    const first = compileAt(NOW, body, {});
    expect(first).toMatchObject({ volatile: [], until });
    expect(first.catalog).toContain('"Class[C]"');
    const later = until ?? 10n * 365n * 86_400n * SECOND;
    for (const part of [3n, 2n]) expect(compileAt(NOW + later / part, body, {}).catalog).toBe(first.catalog);
    expect(compileAt(NOW + later - 1_000_000n, body, {}).catalog).toBe(first.catalog);
    if (until !== null) expect(compileAt(NOW + later, body, {}).catalog).not.toBe(first.catalog);
  });

  const CALL = 'new (file: /code/environments/production/modules/c/manifests/init.pp, line: 1)';
  it.each<[string, string, readonly string[]]>([
    ['the time itself', 'notify { String(Timestamp()): }', [CALL]],
    ['a variable that is printed', `$t = ${SECONDS}\nnotify { "at \${t}": }`, [CALL]],
    [
      'a variable that is compared and printed',
      `$t = ${SECONDS}\n${show('$t > 1800000060')}\nnotify { "at \${t}": }`,
      [CALL],
    ],
    ['a variable that is added to', `$t = ${SECONDS}\n${show('$t + 1 > 1800000060')}`, [CALL]],
    ['a variable that is compared for equality', `$t = ${SECONDS}\n${show('$t == 1800000060')}`, [CALL]],
    ['a remainder', show(`${SECONDS} % 7 > 3`), [CALL]],
    ['a product', show(`${SECONDS} * 2 > 3`), [CALL]],
    ['a time that is subtracted', show(`1800000060 - ${SECONDS} > 3`), [CALL]],
    ['a day of the week', show("Integer(Timestamp().strftime('%u')) > 3"), [CALL]],
    ['two times', show(`${SECONDS} > ${SECONDS} - 5`), [CALL]],
    [
      'two variables',
      `$t = ${SECONDS}\n$u = ${SECONDS}\n${show('$t > $u')}`,
      [
        'new (file: /code/environments/production/modules/c/manifests/init.pp, line: 1)',
        'new (file: /code/environments/production/modules/c/manifests/init.pp, line: 2)',
      ],
    ],
    ['a time in a function', show('max(Integer(Timestamp()), 5) > 1800000060'), [CALL]],
    ['a value of an assignment', show(`($t = ${SECONDS}) > 1800000060`), [CALL]],
    [
      'an assignment that is the value of a block',
      `$l = [1].map |$x| { $t = time() }\nnotify { String($l): }`,
      ['time (file: /code/environments/production/modules/c/manifests/init.pp, line: 1)'],
    ],
    ['an assignment to two variables', `[$t, $u] = [${SECONDS}, 1]\n${show('$t > 1800000060')}`, [CALL]],
    ['a variable of another class', `$t = ${SECONDS}\nnotify { "\${c::t}": }`, [CALL]],
    ['a variable that an EPP template reads', `$t = ${SECONDS}\nnotify { inline_epp('<%= $t %>'): }`, [CALL]],
    ['a variable that a lambda reads', `$t = ${SECONDS}\n$l = [1].map |$x| { $t }\nnotify { String($l): }`, [CALL]],
    ['a variable that getvar reads', `$t = ${SECONDS}\nnotify { String(getvar('t')): }`, [CALL]],
    ['a variable that data interpolate', `$t = ${SECONDS}\nnotify { lookup('k'): }`, [CALL]],
    ['a type', show('Timestamp() > Timestamp'), [CALL]],
    [
      'the deprecated strftime',
      "notify { strftime('%s'): }",
      ['strftime (file: /code/environments/production/modules/c/manifests/init.pp, line: 1)'],
    ],
  ])('leaves the catalog volatile when more is done with the time: %s', (_, body, volatile) => {
    const files = { 'hiera.yaml': 'version: 5', 'data/common.yaml': 'k: "at %{t}"' };
    expect(compileAt(NOW, body, files).volatile).toEqual(volatile);
  });
});
