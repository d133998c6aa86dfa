/** A place in a YAML text; line and column count from 0. */
export interface Mark {
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

export type YamlToken =
  | { readonly kind: Punctuation; readonly start: Mark }
  | { readonly kind: 'yaml-directive'; readonly start: Mark; readonly major: number; readonly minor: number }
  | { readonly kind: 'tag-directive'; readonly start: Mark; readonly handle: string; readonly prefix: string }
  | { readonly kind: 'alias' | 'anchor'; readonly start: Mark; readonly name: string }
  | { readonly kind: 'tag'; readonly start: Mark; readonly handle: string; readonly suffix: string }
  | { readonly kind: 'scalar'; readonly start: Mark; readonly value: string; readonly plain: boolean };

export type Punctuation =
  | 'stream-end'
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value';

/**
 * Thrown for malformed YAML, with libyaml's problem and context, and the place where the context
 * starts.
 */
export class YamlSyntaxError extends Error {
  constructor(problem: string, context: string | null, mark: Mark) {
    const what = context === null ? problem : `${problem} ${context}`;
    super(`${what} at line ${mark.line + 1} column ${mark.column + 1}`);
    this.name = 'YamlSyntaxError';
  }
}
