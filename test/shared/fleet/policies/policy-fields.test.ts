import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import {
  InvalidPolicy,
  POLICY_FIELDS,
  POLICY_NAMES,
  readPolicyEntry,
  wireNameOf,
} from '../../../../shared/fleet/policies/policy-fields.ts';
import { OpenApi, object } from '../../../helpers/openapi.ts';

/** Values of all kinds, with those at the bounds of fields. */
const SAMPLES: readonly unknown[] = [
  ...[null, true, false, {}, [], [1], [30, 90], [90, 30], [0, 86_400], [0, 86_401], [1.5, 2]],
  ...[-1, 0, 1, 1.5, 30, 540, 541, 1000, 1001, 10_080, 10_081, 86_400],
  ...['', 'off', 'on', 'any', '5', '2%', '0%', '100%', '101%', '10/min', '2%/h', '0/s', '22:00-05:00', '25:00-05:00'],
  ...POLICY_NAMES.flatMap((name) => POLICY_FIELDS[name].choices ?? []),
];

const { document } = new OpenApi();
const schema = new Ajv2020({ strict: false }).addSchema(document, 'openapi');
const isDescribed = (policy: object) => schema.validate('openapi#/components/schemas/Policy', policy) === true;

function isTaken(policy: object): boolean {
  try {
    readPolicyEntry(policy);
    return true;
  } catch (error) {
    if (!(error instanceof InvalidPolicy)) throw error;
    return false;
  }
}

describe('docs/openapi.yaml describes the fields of policies', () => {
  it('by name', () => {
    const { properties } = object(object(object(document.components).schemas).Policy);
    expect(Object.keys(object(properties)).sort()).toEqual(POLICY_NAMES.map(wireNameOf).sort());
  });

  // The forms of texts, and the order of a range, are said in words.
  it.each(POLICY_NAMES.map(wireNameOf))('%s takes what its schema says', (name) => {
    const policies = SAMPLES.map((value) => ({ [name]: value }));
    expect(policies.filter((one) => isTaken(one) && !isDescribed(one))).toEqual([]);
    const isInWords = (policy: object) => /^["[]/.test(JSON.stringify(Object.values(policy)[0]));
    expect(policies.filter((one) => !isInWords(one) && isDescribed(one) && !isTaken(one))).toEqual([]);
    const { choices } = POLICY_FIELDS[POLICY_NAMES.find((one) => wireNameOf(one) === name) ?? 'freshness'];
    if (choices === undefined) return;
    expect(SAMPLES.filter((value) => isDescribed({ [name]: value }) && !choices.includes(value))).toEqual([]);
  });
});
