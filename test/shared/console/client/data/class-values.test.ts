import { describe, expect, it } from 'vitest';
import {
  type ClassParameter,
  presetOf,
  printTyped,
  readClasses,
  readTyped,
} from '../../../../../shared/console/client/data/class-values.ts';

describe('classes as JSON', () => {
  it.each([
    ['{"ntp": {"servers": ["a"]}}', { ntp: { servers: ['a'] } }],
    ['', {}],
    ['{"ntp": 1}', null],
    ['[]', null],
    ['{', null],
  ])('%j are read', (text, classes) => {
    expect(readClasses(text)).toEqual(classes);
  });
});

describe('a typed value', () => {
  it.each<[ClassParameter['control'], string, unknown]>([
    ['text', '80', '80'],
    ['integer', '80', 80],
    ['integer', '-8', -8],
    ['integer', '8.5', '8.5'],
    ['number', '8.5', 8.5],
    ['number', ' ', ' '],
    ['json', '{"a": [1]}', { a: [1] }],
    ['json', 'true', true],
    ['json', 'plain', 'plain'],
    ['json', '"80"', '80'],
  ])('of a %s, %j, is read', (control, text, value) => {
    expect(readTyped(text, control)).toEqual(value);
    expect(readTyped(printTyped(value, control), control)).toEqual(value);
  });
});

describe('a parameter that is added', () => {
  it.each<[Partial<ClassParameter>, unknown]>([
    [{ control: 'choice', choices: [true, false], default: 'false' }, false],
    [{ control: 'choice', choices: ['debug', 'warn'], default: "'warn'" }, 'warn'],
    [{ control: 'choice', choices: ['debug', 'warn'], default: '$level' }, 'debug'],
    [{ control: 'integer', default: '80' }, 80],
    [{ control: 'integer', default: null }, ''],
    [{ control: 'text', default: "'/srv'" }, '/srv'],
    [{ control: 'text', default: '$root' }, ''],
    [{ control: 'text', default: 'undef' }, ''],
    [{ control: 'json', default: '[]' }, []],
  ])('%j, has its default when that is a literal', (parameter, value) => {
    const usual = { name: 'p', type: 'Any', description: '', isRequired: false, choices: [], isOptional: false };
    expect(presetOf({ ...usual, control: 'json', default: null, ...parameter })).toEqual(value);
  });
});
