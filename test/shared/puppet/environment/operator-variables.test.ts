import { describe, expect, it } from 'vitest';
import {
  allVariables,
  findChangedVariables,
  NO_VARIABLES,
  selectListedVariables,
  variableAsSetting,
} from '../../../../shared/puppet/environment/operator-variables.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';

const PROCESS = { UNDERSTUDY_EYAML_VARIABLES: 'ONE, TWO,,toString', ONE: '1', OTHER: 'other', '': 'nameless' };
const LIST = 'UNDERSTUDY_EYAML_VARIABLES';
const [FORBIDDEN, UNSET] = [{ state: 'forbidden', listedIn: LIST }, { state: 'unset' }];

describe('variables of the process that code may name', () => {
  it.each([
    ['listed and set', selectListedVariables(PROCESS, LIST), 'ONE', { state: 'set', value: '1' }],
    ['listed, and not set', selectListedVariables(PROCESS, LIST), 'TWO', UNSET],
    ['listed, and what every object has', selectListedVariables(PROCESS, LIST), 'toString', UNSET],
    ['not listed', selectListedVariables(PROCESS, LIST), 'OTHER', FORBIDDEN],
    ['the list itself', selectListedVariables(PROCESS, LIST), 'UNDERSTUDY_EYAML_VARIABLES', FORBIDDEN],
    ['set without any list', selectListedVariables({ ONE: '1' }, LIST), 'ONE', FORBIDDEN],
    ['any of a command', allVariables(() => PROCESS), 'OTHER', { state: 'set', value: 'other' }],
    ['any, and not set', allVariables(() => PROCESS), 'constructor', UNSET],
    ['none', NO_VARIABLES, 'ONE', { state: 'forbidden' }],
  ])('are: %s', (_, variables, name, expected) => {
    expect(variables(name)).toEqual(expected);
  });

  it('have no name that is empty', () => {
    expect(selectListedVariables({ UNDERSTUDY_EYAML_VARIABLES: '', '': 'x' }, LIST)('')).toEqual(FORBIDDEN);
  });

  it('are recorded by their digest', () => {
    expect(variableAsSetting('ONE', { state: 'set', value: '1' })).toEqual([
      'environment variable ONE',
      digestSha256('1'),
    ]);
  });

  it.each([
    ['as it was', { ONE: '1' }, []],
    ['changed', { ONE: '2' }, ['environment variable ONE']],
    ['gone', {}, ['environment variable ONE']],
  ])('are compared with the record: %s', (_, now, expected) => {
    const settings = Object.fromEntries([
      ['strict', 'error'],
      variableAsSetting('ONE', { state: 'set', value: '1' }),
      variableAsSetting('TWO', { state: 'unset' }),
    ]);
    const variables = allVariables(() => now);
    expect(findChangedVariables(settings, variables).map(({ name }) => name)).toEqual(expected);
  });
});
