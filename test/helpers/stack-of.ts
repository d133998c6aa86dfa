import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { UnderstudyStack } from '../../infra/stack.ts';
import { createTemporaryFolder } from '../../infra/temporary-folder.ts';

const cdk: { context: Record<string, unknown> } = JSON.parse(readFileSync('cdk.json', 'utf8'));

/**
 * The CDK notes the properties of each construct for its statistics, which are no part of a
 * template. A synthesis takes a tenth less without that (2026-11-29).
 */
const WITHOUT_METADATA = { '@aws-cdk/core:enableAdditionalMetadataCollection': false };

/**
 * An app with the feature flags and settings of cdk.json, and these; without bundling. The CDK's
 * own check of templates finds only warnings here, and its schemas take most of the time of a
 * synthesis (0.2 s without it, 2.5 s with it in a new process, 2026-11-23). Tests that look at what
 * was found have it (`checks`), and so has `cdk synth`.
 */
export function newApp(context: Readonly<Record<string, unknown>> = {}, checks = false): App {
  return new App({
    outdir: createTemporaryFolder('understudy-synth-'),
    context: { ...cdk.context, ...WITHOUT_METADATA, 'aws:cdk:bundling-stacks': [], ...context },
    builtinCloudFormationValidation: checks,
    // No test reads these, and they take a third of the time.
    stackTraces: false,
    treeMetadata: false,
    analyticsReporting: false,
  });
}

/** Templates by context and name: tests of several files look at those of few stacks. */
const made = new Map<string, Template>();

/**
 * The template of the stack with this context, without the functions' code. Tests do not change it.
 */
export function stackOf(context: Readonly<Record<string, unknown>> = {}, name = 'Test'): Template {
  const key = JSON.stringify([context, name]);
  const template = made.get(key) ?? Template.fromStack(new UnderstudyStack(newApp(context), name));
  made.set(key, template);
  return template;
}

/** The properties of all resources of a type. */
export function propertiesOf(template: Template, type: string): readonly Readonly<Record<string, unknown>>[] {
  const found = Object.values(template.findResources(type)) as { readonly Properties: Record<string, unknown> }[];
  return found.map(({ Properties }) => Properties);
}
