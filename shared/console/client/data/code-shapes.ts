import type { AnswerOf, ApiSchema } from '../../../api/described-answers.ts';

<<<<<<< HEAD
/** The answers of `/understudy/v1` about code. Times are in ms since 1970. */

export interface EnvironmentRow {
  readonly name: string;
  readonly codeId: string;
  readonly deployedAt: number;
  readonly user: string | null;
  /** The language that its nodes are compiled in: `openvox-8`. */
  readonly language: string;
  /** Whether all nodes that the last deploy affects know of it. */
  readonly isSettled: boolean;
  /** Progress of the deploy's fan-out; null when it is complete. */
  readonly telling: { readonly nodes: number; readonly parts: number; readonly partsDone: number } | null;
  /** Code that some nodes have before the others; null without a staged deploy. */
  readonly stage:
    | (Pick<StagedDeploy, 'codeId' | 'begunAt' | 'user' | 'state' | 'reason'> & {
        /** Their number. */
        readonly canaries: number;
        /** Whether the policy chose them: newer code then takes the place of the stage. */
        readonly isOfPolicy: boolean;
      })
    | null;
  /** The code that was rolled back, and does not come again by itself; null: none. */
  readonly rolledBack: RolledBack | null;
  /** The nodes that get deploys first, as the policy says: a number, a share, or `off`. */
  readonly stageCanaries: string | number;
}

/** Code that somebody, or its canaries, took back. */
export interface RolledBack {
  readonly codeId: string;
  readonly user: string;
  readonly at: number;
}

/** A node that has staged code, and how it does. */
export interface Canary {
  readonly certname: string;
  readonly status: 'good' | 'worse' | 'waiting' | 'uncounted';
  readonly reason: string | null;
}

/** A staged deploy. */
export interface StagedDeploy {
  readonly environment: string;
  readonly codeId: string;
  readonly begunAt: number;
  readonly user: string;
  readonly lateAt: number;
  readonly state: 'trial' | 'held' | 'ending';
  /** Why it is held. */
  readonly reason: string | null;
  readonly plan: Readonly<Record<'whenGood' | 'whenWorse' | 'whenLate', string>>;
  readonly counts: Readonly<Record<Canary['status'], number>>;
  readonly canaries: readonly Canary[];
}

export interface EnvironmentList {
  readonly environments: readonly EnvironmentRow[];
}

export interface DeployList {
  readonly deploys: readonly Deploy[];
}
=======
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
>>>>>>> de4cf17d (Take the console's shapes from docs/openapi.yaml)

/** An item of the answer of Code Manager's `POST deploys` with `wait`. */
export interface DeployOutcome {
  readonly environment: string;
  readonly status: string;
  readonly error?: { readonly msg?: string };
}
<<<<<<< HEAD

/** The files in which two states of an environment differ, and the nodes that use them. */
export interface CodeDifference {
  readonly environment: string;
  readonly codeId: string;
  readonly files: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
    readonly count: number;
  };
  readonly nodes: readonly { readonly certname: string; readonly why: readonly string[] }[];
  readonly next: string | null;
  /** Null until the server counted them. */
  readonly total: number | null;
}

export interface PreviewDifference {
  readonly resource: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Absent for a whole resource or an order. */
  readonly parameter?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Nodes whose catalogs differ by the same causes. */
export interface DifferenceGroup {
  /** At most 50 of them. */
  readonly nodes: readonly string[];
  readonly count: number;
  readonly differences: readonly PreviewDifference[];
}

/** Nodes with the same message. */
export interface MessageGroup {
  readonly message: string;
  readonly count: number;
  readonly nodes: readonly string[];
}

/** Our catalogs compared with those of an existing installation. */
export interface ShownComparison {
  /** Whether all nodes are in it; false: their sum goes on. */
  readonly isComplete?: boolean;
  readonly compared: number;
  readonly equal: number;
  readonly different: number;
  readonly failing: number;
  readonly unknown: number;
  /** When the oldest and the newest comparison were made; null without any. */
  readonly since: number | null;
  readonly until: number | null;
  readonly groups: readonly DifferenceGroup[];
  readonly failures: readonly MessageGroup[];
  readonly unknowns: readonly MessageGroup[];
  /** Changes and messages that had no room. */
  readonly omitted: number;
}

/** The catalog of a node on an existing server, compared with ours. */
export type ShownNodeComparison = { readonly environment: string; readonly at: number } & (
  | { readonly outcome: 'equal' }
  /** From the existing server's catalog to ours; `omitted` changes had no room. */
  | { readonly outcome: 'different'; readonly changes: readonly PreviewDifference[]; readonly omitted: number }
  | { readonly outcome: 'failing' | 'unknown'; readonly message: string }
);

export interface ShownPreview {
  readonly environment: string;
  readonly codeId: string;
  readonly inForce: string | null;
  /** Changed manifests that Puppet does not accept. */
  readonly faults: readonly { readonly message: string }[];
  /** Number of nodes that use a changed input; `compared` of these were compiled. */
  readonly touched: number;
  readonly compared: number;
  readonly unchanged: number;
  readonly failures: readonly { readonly certname: string; readonly message: string; readonly isNew: boolean }[];
  readonly fixed: number;
  readonly groups: readonly DifferenceGroup[];
  /** Nodes for which the time was not enough. */
  readonly unanswered: number;
}

/** A git repository whose branches are environments. */
export interface CodeSourceRow {
  readonly name: string;
  readonly url: string;
  readonly prefix: string | null;
  readonly hasKey: boolean;
  /** The path of its webhook at the front door; null without a secret. */
  readonly webhook: string | null;
  readonly environments: readonly {
    readonly environment: string;
    readonly branch: string;
    readonly commit: string;
    readonly rolledBack: RolledBack | null;
  }[];
  /** Null when it was not synchronised since the server started. */
  readonly lastSync: { readonly at: number; readonly isRunning: boolean; readonly troubles: readonly string[] } | null;
}

export interface CodeSourceList {
  /** Whether this server fetches sources. */
  readonly canSync: boolean;
  readonly sources: readonly CodeSourceRow[];
}

/** A value that code of modules keeps between compiles, without its text. */
export interface KeptValueRow {
  readonly environment: string;
  readonly name: string;
  readonly changedAt: number;
  /** The node whose compile wrote it, or who set it. */
  readonly by: string;
}

export interface KeptValueList {
  readonly values: readonly KeptValueRow[];
  /** Whether there are more than are listed. */
  readonly hasMore: boolean;
}

/** A change of groups, exports, a kept value or the strictness. */
export interface OtherChange {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly environment: string | null;
  readonly summary: string;
  readonly user: string | null;
  /** The number of nodes that it touched. */
  readonly nodes: number | null;
}

export interface OtherChangeList {
  readonly changes: readonly OtherChange[];
  readonly next: string | null;
}

/** The first nodes that a change touched. */
export interface TouchedNodes {
  readonly change: OtherChange;
  readonly nodes: readonly { readonly certname: string; readonly why: readonly string[] }[];
  readonly omitted: number;
}
=======
>>>>>>> de4cf17d (Take the console's shapes from docs/openapi.yaml)
