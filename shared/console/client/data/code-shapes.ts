import type { AnswerOf, ApiSchema } from '../../../api/described-answers.ts';

export type EnvironmentRow = ApiSchema<'Environments'>['environments'][number];
export type RolledBack = NonNullable<ApiSchema<'TakenBack'>>;
export type StagedDeploy = ApiSchema<'Stage'>;
export type ShownNodeComparison = ApiSchema<'NodeComparison'>;
export type CodeDifference = ApiSchema<'EnvironmentDiff'>;
export type ShownComparison = ApiSchema<'FleetComparison'>;
export type ShownPreview = ApiSchema<'DeployPreview'>;
export type DifferenceGroup = ApiSchema<'ChangedNodes'>;
export type PreviewDifference = ApiSchema<'CatalogChange'>;
export type MessageGroup = ApiSchema<'AlikeFailures'>;
export type CodeSourceRow = ApiSchema<'CodeSources'>['sources'][number];
export type KeptValueList = ApiSchema<'KeptValues'>;
export type TouchedNodes = AnswerOf<'listChangeNodes'>;

/** An item of the answer of Code Manager's `POST deploys` with `wait`. */
export interface DeployOutcome {
  readonly environment: string;
  readonly status: string;
  readonly error?: { readonly msg?: string };
}
