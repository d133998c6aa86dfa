/** A rule of a node group, as the classifier's API writes it: nested lists. */
export type GroupRuleJson = readonly unknown[];

/** A node group, as the classifier's API writes it. */
export interface GroupSummary {
  readonly id: string;
  readonly name: string;
  readonly parent: string;
  readonly description?: string;
  readonly environment: string;
  readonly environment_trumps: boolean;
  readonly rule?: GroupRuleJson | null;
  readonly classes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly config_data?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly serial_number?: number;
  readonly deleted?: unknown;
}

/** The id of the group above all others. */
export const TOP_GROUP = '00000000-0000-4000-8000-000000000000';
