import { describe, expect, it } from 'vitest';
import { keyInAws, namesInAws, readSetting, readSettings, variableOf } from '../../../shared/config/read-setting.ts';
import { SETTINGS, type SettingName } from '../../../shared/config/settings.ts';
import { DEFAULT_EXPORT_TIMING, exportTiming } from '../../../shared/fleet/compiles/export-interval.ts';

describe('readSetting', () => {
  it.each<[SettingName, string | undefined, unknown]>([
    ['renewalHours', undefined, 24],
    ['renewalHours', '', 24],
    ['renewalHours', '0', 0],
    ['renewalHours', '8760', 8760],
    ['compileTimeLimit', '', 75],
    ['language', 'openvox-9', 'openvox-9'],
    ['strict', '', 'error'],
    ['strictVariables', '', true],
    ['strictVariables', 'false', false],
    ['allowWeakKeys', undefined, false],
    ['allowWeakKeys', 'true', true],
    ['exportInterval', '', undefined],
    ['puppetdbBlockedFacts', 'uptime, /^docker_/', ['uptime', '/^docker_/']],
  ])('reads %s from %j', (name, text, value) => {
    expect(readSetting(name, { [variableOf(name)]: text })).toEqual(value);
  });

  it.each<[SettingName, string, string]>([
    ['renewalHours', '8761', 'UNDERSTUDY_RENEWAL_HOURS must be a whole number from 0 to 8760'],
    ['renewalHours', '1.5', 'UNDERSTUDY_RENEWAL_HOURS must be a whole number from 0 to 8760'],
    ['compileTimeLimit', '451', 'UNDERSTUDY_COMPILE_TIME_LIMIT must be a whole number from 1 to 450'],
    ['exportDelay', '-1', 'UNDERSTUDY_EXPORT_DELAY must be a whole number from 0 to 300'],
    ['language', '9', 'UNDERSTUDY_LANGUAGE must be one of puppet-8, openvox-8, openvox-9'],
    ['strictVariables', 'no', 'UNDERSTUDY_STRICT_VARIABLES must be one of true, false'],
  ])('refuses %s from %j', (name, text, message) => {
    const read = () => readSetting(name, { [variableOf(name)]: text });
    expect(read).toThrow(new RangeError(`${message}, not '${text}'`));
  });

  it('gives the timing of exports', () => {
    const read = (variables: Record<string, string>) =>
      exportTiming(readSettings(['exportDelay', 'exportInterval'], variables));
    expect(read({})).toEqual(DEFAULT_EXPORT_TIMING);
    expect(read({ UNDERSTUDY_EXPORT_DELAY: '0', UNDERSTUDY_EXPORT_INTERVAL: '60' })).toEqual({
      delayMs: 0,
      intervalMs: 60_000,
    });
  });
});

it('each section of the context has other keys', () => {
  for (const section of ['settings', 'inventory', 'orchestrator']) {
    const keys = namesInAws(section).map(keyInAws);
    expect(keys.length).toBeGreaterThan(0);
    expect(new Set(keys).size).toBe(keys.length);
  }
});

it('each usual value is within its bounds', () => {
  for (const row of Object.values(SETTINGS)) {
    if (row.kind !== 'number' || !('usual' in row)) continue;
    expect(row.usual).toBeGreaterThanOrEqual(row.least);
    expect(row.usual).toBeLessThanOrEqual(row.most);
  }
});
