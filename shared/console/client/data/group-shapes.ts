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

/** The groups that a value comes from, by id. */
interface ValueSources {
  readonly sources: readonly string[];
}

/** The member of a class's sources that names the groups which declare the class. */
export const CLASS_SOURCES = 'puppetlabs.classifier/sources';

/** The last check-in of a node, with the steps to its classification. */
export interface NodeClassification {
  readonly check_ins: readonly {
    readonly time: string;
    readonly explanation: {
      readonly match_explanations: Readonly<Record<string, { readonly value: boolean }>>;
      /** Present where groups disagree; then there is no final classification. */
      readonly conflicts?: Readonly<Record<string, unknown>>;
      readonly final_classification?: {
        readonly environment: string;
        readonly classes: Readonly<Record<string, unknown>>;
        readonly variables: Readonly<Record<string, unknown>>;
      };
      readonly classification_sources: {
        readonly environment: ValueSources;
        readonly classes: Readonly<Record<string, { readonly [CLASS_SOURCES]: readonly string[] }>>;
        readonly variables: Readonly<Record<string, ValueSources>>;
      };
    };
  }[];
}
