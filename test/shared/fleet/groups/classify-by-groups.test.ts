import { describe, expect, it } from 'vitest';
import { classifyByGroups } from '../../../../shared/fleet/groups/classify-by-groups.ts';
import { GroupHierarchy } from '../../../../shared/fleet/groups/group-hierarchy.ts';
import { valuesOf } from '../../../../shared/fleet/groups/match-rule.ts';
import { type NodeGroup, ROOT_GROUP, ROOT_ID } from '../../../../shared/fleet/groups/node-group.ts';
import { describeConflicts, printExplanation } from '../../../../shared/fleet/groups/print-classification.ts';
import { createGroup, createHierarchy, groupId } from '../../../helpers/group-hierarchies.ts';

const NODE = { name: 'app7.example.net', fact: { kernel: 'Linux', tier: 'front' }, trusted: {} };
const classify = (...groups: readonly NodeGroup[]) => classifyByGroups(createHierarchy(...groups), valuesOf(NODE));
const names = (groups: readonly NodeGroup[]) => groups.map(({ name }) => name);
const linux = createGroup(1, 'Linux', { rule: ['=', ['fact', 'kernel'], 'Linux'] });

describe('the groups of a node', () => {
  it('are those whose rules, with all rules above, match it', () => {
    const { matching, leaves } = classify(
      linux,
      createGroup(2, 'Front', { parent: linux.id, rule: ['=', ['fact', 'tier'], 'front'] }),
      createGroup(3, 'Back', { parent: linux.id, rule: ['=', ['fact', 'tier'], 'back'] }),
      createGroup(4, 'Below Back', { parent: groupId(3) }),
      createGroup(5, 'Other'),
    );
    expect(names(matching)).toEqual(['Front', 'Linux', 'Other', 'All Nodes']);
    expect(names(leaves.map(({ group }) => group))).toEqual(['Front', 'Other']);
  });

  it('are not groups without a rule, nor those below them', () => {
    const { matching } = classify(
      createGroup(2, 'Folder', { rule: null }),
      createGroup(3, 'In the folder', { parent: groupId(2) }),
    );
    expect(names(matching)).toEqual(['All Nodes']);
  });

  it('are the root alone without any other group', () => {
    const { matching, final } = classify();
    expect(names(matching)).toEqual(['All Nodes']);
    expect(final).toEqual({ environment: 'production', classes: {}, configData: {}, variables: {} });
  });
});

describe('a classification', () => {
  const base = createGroup(1, 'Base', {
    classes: { ntp: { servers: ['a'], burst: true }, motd: {} },
    configData: { ntp: { panic: 0 } },
    variables: { zone: 'x', level: 1 },
    environment: 'test',
  });

  it('is that of the leaf with what it inherits, the nearest group first', () => {
    const child = createGroup(2, 'Child', {
      parent: base.id,
      classes: { ntp: { servers: ['b'] }, web: {} },
      configData: { ntp: { tinker: false } },
      variables: { level: 2 },
    });
    expect(classify(base, child).final).toEqual({
      environment: 'production',
      classes: { ntp: { servers: ['b'], burst: true }, web: {}, motd: {} },
      configData: { ntp: { tinker: false, panic: 0 } },
      variables: { level: 2, zone: 'x' },
    });
  });

  it('joins leaves that agree, in whatever order their values have', () => {
    const one = createGroup(2, 'One', { classes: { ntp: { opts: { a: 1, b: 2 } } }, variables: { x: 1 } });
    const other = createGroup(3, 'Other', { classes: { ntp: { opts: { b: 2, a: 1 } }, web: {} }, variables: { y: 2 } });
    expect(classify(one, other)).toMatchObject({
      conflicts: null,
      final: { classes: { ntp: { opts: { a: 1, b: 2 } }, web: {} }, variables: { x: 1, y: 2 } },
    });
  });

  it('conflicts where leaves disagree', () => {
    const child = createGroup(2, 'Child', { parent: base.id, environment: 'test' });
    const other = createGroup(3, 'Other', {
      classes: { ntp: { burst: false } },
      configData: { ntp: { panic: 9 } },
      variables: { zone: 'y' },
    });
    const { conflicts, final } = classify(base, child, other);
    expect(final).toBeNull();
    expect(conflicts && describeConflicts(conflicts)).toEqual([
      'environment: "test" from \'Child\', "production" from \'Other\'',
      "variable zone: \"x\" from 'Child' (defined by 'Base'), \"y\" from 'Other'",
      "class ntp burst: true from 'Child' (defined by 'Base'), false from 'Other'",
      "config data ntp panic: 0 from 'Child' (defined by 'Base'), 9 from 'Other'",
    ]);
  });

  it('has the environment of the group that trumps', () => {
    const trump = createGroup(2, 'Trump', { environment: 'hotfix', environmentTrumps: true });
    const second = createGroup(3, 'Second', { environment: 'other', environmentTrumps: true });
    expect(classify(base, trump).final?.environment).toBe('hotfix');
    expect(classify(base, trump, { ...second, environment: 'hotfix' }).final?.environment).toBe('hotfix');
    expect(describeConflicts(classify(base, trump, second).conflicts ?? {})).toEqual([
      'environment: "other" from \'Second\', "hotfix" from \'Trump\'',
    ]);
  });

  it('is explained from the rules to the sources of each value', () => {
    const child = createGroup(2, 'Child', { parent: base.id, classes: { ntp: { servers: ['b'] } } });
    const hierarchy = createHierarchy(base, child);
    const explanation = printExplanation(NODE, classifyByGroups(hierarchy, valuesOf(NODE)), hierarchy);
    expect(explanation).toEqual({
      node_as_received: NODE,
      match_explanations: Object.fromEntries(
        [child.id, base.id, ROOT_ID].map((id) => [
          id,
          { value: true, form: ['~', { path: 'name', value: NODE.name }, '.*'] },
        ]),
      ),
      leaf_groups: { [child.id]: expect.objectContaining({ name: 'Child', serial_number: 1 }) },
      inherited_classifications: {
        [child.id]: {
          environment: 'production',
          environment_trumps: false,
          classes: { ntp: { servers: ['b'], burst: true }, motd: {} },
          config_data: { ntp: { panic: 0 } },
          variables: { zone: 'x', level: 1 },
        },
      },
      individual_classification: { classes: {}, variables: {}, config_data: {} },
      final_classification: {
        environment: 'production',
        classes: { ntp: { servers: ['b'], burst: true }, motd: {} },
        config_data: { ntp: { panic: 0 } },
        variables: { zone: 'x', level: 1 },
      },
      classification_sources: {
        environment: { value: 'production', sources: [child.id] },
        classes: {
          ntp: {
            'puppetlabs.classifier/sources': [child.id],
            servers: { value: ['b'], sources: [child.id] },
            burst: { value: true, sources: [base.id] },
          },
          motd: { 'puppetlabs.classifier/sources': [base.id] },
        },
        variables: { zone: { value: 'x', sources: [base.id] }, level: { value: 1, sources: [base.id] } },
        config_data: { ntp: { panic: { value: 0, sources: [base.id] } } },
      },
    });
  });
});

describe('a hierarchy', () => {
  it.each<[string, readonly NodeGroup[], string]>([
    ['a parent that is not there', [createGroup(1, 'A', { parent: groupId(9) })], 'missing-parent'],
    [
      'groups that inherit from each other',
      [createGroup(1, 'A', { parent: groupId(2) }), createGroup(2, 'B', { parent: groupId(1) })],
      'inheritance-cycle',
    ],
  ])('refuses %s', (_, groups, kind) => {
    expect(() => createHierarchy(...groups)).toThrow(expect.objectContaining({ kind }));
  });

  it('refuses groups without a root', () => {
    const refusal = expect.objectContaining({ kind: 'unreachable-groups' });
    expect(() => new GroupHierarchy([createGroup(1, 'A')])).toThrow(refusal);
  });

  it('joins the rules of a group and of those above it', () => {
    const child = createGroup(2, 'Child', { parent: linux.id, rule: ['=', 'name', 'x'] });
    const hierarchy = createHierarchy(linux, child);
    expect(hierarchy.inheritedRuleOf(child)).toEqual(['and', ['=', 'name', 'x'], linux.rule, ROOT_GROUP.rule]);
    expect(hierarchy.inheritedRuleOf(hierarchy.root)).toEqual(ROOT_GROUP.rule);
    expect(createHierarchy({ ...linux, rule: null }, child).inheritedRuleOf(child)).toBeNull();
    expect(hierarchy.paths).toEqual([['fact', 'kernel']]);
  });
});
