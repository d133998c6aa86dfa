import { YamlScanner } from './yaml-scanner.ts';
import { type Mark, YamlSyntaxError, type YamlToken } from './yaml-tokens.ts';

/** A node of a YAML document as written. Only tag handles are resolved. */
export type YamlNode = YamlScalar | YamlSequence | YamlMapping | YamlAlias;

interface Properties {
  readonly anchor: string | null;
  /** The full tag (`tag:yaml.org,2002:str`, `!ruby/sym`), or null. */
  readonly tag: string | null;
}

interface Placed {
  /** The line where the node begins, counted from 1; 0 for one that is not written. */
  readonly line: number;
}

export interface YamlScalar extends Properties, Placed {
  readonly kind: 'scalar';
  readonly value: string;
  /** Whether it is neither quoted nor a block scalar. */
  readonly plain: boolean;
  /** The character that one begins with that is not plain: a quote, `|` or `>`. */
  readonly mark?: string | undefined;
}

export interface YamlSequence extends Properties, Placed {
  readonly kind: 'sequence';
  readonly items: readonly YamlNode[];
}

export interface YamlMapping extends Properties, Placed {
  readonly kind: 'mapping';
  readonly pairs: readonly (readonly [YamlNode, YamlNode])[];
}

interface YamlAlias extends Placed {
  readonly kind: 'alias';
  readonly name: string;
}

/**
 * Parses the first document of a text; null when there is none. Throws YamlSyntaxError with
 * libyaml's text.
 */
export function parseYamlDocument(text: string): YamlNode | null {
  // Ruby's reader first looks for control characters in the whole text.
  if (/(?![\t\n\r\u0085])\p{Cc}/u.test(text)) {
    throw new YamlSyntaxError('control characters are not allowed', null, { index: 0, line: 0, column: 0 });
  }
  return new YamlDocumentParser(text).parse();
}

const DOCUMENT_STARTS = ['yaml-directive', 'tag-directive', 'document-start'] as const;
const NO_PROPERTIES: Properties = { anchor: null, tag: null };
const EMPTY: YamlScalar = { kind: 'scalar', value: '', plain: true, line: 0, ...NO_PROPERTIES };

class YamlDocumentParser {
  readonly #text: string;
  readonly #tokens: YamlScanner;
  readonly #handles = new Map([
    ['!', '!'],
    ['!!', 'tag:yaml.org,2002:'],
  ]);

  constructor(text: string) {
    this.#text = text;
    this.#tokens = new YamlScanner(text);
  }

  parse(): YamlNode | null {
    if (this.#sees('stream-end')) return null;
    const root = this.#sees(...DOCUMENT_STARTS) ? this.#parseExplicitDocument() : this.#parseNode(true, false);
    this.#tokens.peek();
    return root;
  }

  #parseExplicitDocument(): YamlNode {
    this.#parseDocumentStart();
    return this.#sees(...DOCUMENT_STARTS, 'document-end', 'stream-end') ? EMPTY : this.#parseNode(true, false);
  }

  #parseDocumentStart(): void {
    for (;;) {
      const token = this.#tokens.next();
      if (token.kind === 'document-start') return;
      if (token.kind === 'tag-directive') this.#handles.set(token.handle, token.prefix);
      else if (token.kind !== 'yaml-directive') {
        throw new YamlSyntaxError('did not find expected <document start>', null, token.start);
      } else if (token.major !== 1 || (token.minor !== 1 && token.minor !== 2)) {
        throw new YamlSyntaxError('found incompatible YAML document', null, token.start);
      }
    }
  }

  #markOf({ plain, start }: { readonly plain: boolean; readonly start: Mark }): Pick<YamlScalar, 'mark'> {
    return plain ? {} : { mark: this.#text[start.index] };
  }

  #sees(...kinds: readonly YamlToken['kind'][]): boolean {
    return kinds.includes(this.#tokens.peek().kind);
  }

  /** `indentless`: whether a sequence may start at the indentation of the enclosing mapping. */
  #parseNode(block: boolean, indentless: boolean): YamlNode {
    const first = this.#tokens.peek();
    if (first.kind === 'alias') {
      this.#tokens.next();
      return { kind: 'alias', name: first.name, line: first.start.line + 1 };
    }
    const properties = this.#parseProperties();
    const token = this.#tokens.peek();
    const { start } = properties === NO_PROPERTIES ? token : first;
    const place = { ...properties, line: start.line + 1 };
    switch (token.kind) {
      case 'scalar':
        this.#tokens.next();
        return { kind: 'scalar', value: token.value, plain: token.plain, ...this.#markOf(token), ...place };
      case 'flow-sequence-start':
        return { kind: 'sequence', items: this.#parseFlowSequence(token.start), ...place };
      case 'flow-mapping-start':
        return { kind: 'mapping', pairs: this.#parseFlowMapping(token.start), ...place };
      case 'block-sequence-start':
        if (block) return { kind: 'sequence', items: this.#parseBlockSequence(token.start), ...place };
        break;
      case 'block-mapping-start':
        if (block) return { kind: 'mapping', pairs: this.#parseBlockMapping(token.start), ...place };
        break;
      case 'block-entry':
        if (indentless) return { kind: 'sequence', items: this.#parseIndentlessSequence(), ...place };
        break;
    }
    if (properties !== NO_PROPERTIES) return { ...EMPTY, ...place };
    const context = `while parsing a ${block ? 'block' : 'flow'} node`;
    throw new YamlSyntaxError('did not find expected node content', context, start);
  }

  #parseProperties(): Properties {
    let anchor: string | null = null;
    let tag: string | null = null;
    for (;;) {
      const token = this.#tokens.peek();
      if (token.kind === 'anchor' && anchor === null) anchor = token.name;
      else if (token.kind === 'tag' && tag === null) tag = this.#resolveTag(token.handle, token.suffix, token.start);
      else break;
      this.#tokens.next();
    }
    return anchor === null && tag === null ? NO_PROPERTIES : { anchor, tag };
  }

  #resolveTag(handle: string, suffix: string, start: Mark): string {
    if (handle === '') return suffix;
    const prefix = this.#handles.get(handle);
    if (prefix === undefined) throw new YamlSyntaxError('found undefined tag handle', 'while parsing a node', start);
    return prefix + suffix;
  }

  #parseBlockSequence(start: Mark): YamlNode[] {
    this.#tokens.next();
    const items: YamlNode[] = [];
    while (this.#sees('block-entry')) {
      this.#tokens.next();
      items.push(this.#sees('block-entry', 'block-end') ? EMPTY : this.#parseNode(true, false));
    }
    this.#expectBlockEnd("did not find expected '-' indicator", 'while parsing a block collection', start);
    return items;
  }

  #parseIndentlessSequence(): YamlNode[] {
    const items: YamlNode[] = [];
    while (this.#sees('block-entry')) {
      this.#tokens.next();
      items.push(this.#sees('block-entry', 'key', 'value', 'block-end') ? EMPTY : this.#parseNode(true, false));
    }
    return items;
  }

  #parseBlockMapping(start: Mark): [YamlNode, YamlNode][] {
    this.#tokens.next();
    const pairs: [YamlNode, YamlNode][] = [];
    while (this.#sees('key')) {
      const key = this.#parseBlockMappingPart();
      pairs.push([key, this.#sees('value') ? this.#parseBlockMappingPart() : EMPTY]);
    }
    this.#expectBlockEnd('did not find expected key', 'while parsing a block mapping', start);
    return pairs;
  }

  #parseBlockMappingPart(): YamlNode {
    this.#tokens.next();
    return this.#sees('key', 'value', 'block-end') ? EMPTY : this.#parseNode(true, true);
  }

  #expectBlockEnd(problem: string, context: string, start: Mark): void {
    if (!this.#sees('block-end')) throw new YamlSyntaxError(problem, context, start);
    this.#tokens.next();
  }

  #parseFlowSequence(start: Mark): YamlNode[] {
    this.#tokens.next();
    const items: YamlNode[] = [];
    while (!this.#sees('flow-sequence-end')) {
      if (items.length > 0) {
        this.#expectFlowEntry("did not find expected ',' or ']'", 'while parsing a flow sequence', start);
        if (this.#sees('flow-sequence-end')) break;
      }
      items.push(this.#sees('key') ? this.#parseSinglePair() : this.#parseNode(false, false));
    }
    this.#tokens.next();
    return items;
  }

  /** `[a: b]`: a mapping of one pair. */
  #parseSinglePair(): YamlNode {
    const line = this.#tokens.next().start.line + 1;
    const key = this.#sees('value', 'flow-entry', 'flow-sequence-end') ? EMPTY : this.#parseNode(false, false);
    return { kind: 'mapping', pairs: [[key, this.#parseFlowValue('flow-sequence-end')]], line, ...NO_PROPERTIES };
  }

  #parseFlowMapping(start: Mark): [YamlNode, YamlNode][] {
    this.#tokens.next();
    const pairs: [YamlNode, YamlNode][] = [];
    while (!this.#sees('flow-mapping-end')) {
      if (pairs.length > 0) {
        this.#expectFlowEntry("did not find expected ',' or '}'", 'while parsing a flow mapping', start);
        if (this.#sees('flow-mapping-end')) break;
      }
      if (this.#sees('key')) {
        this.#tokens.next();
        const key = this.#sees('value', 'flow-entry', 'flow-mapping-end') ? EMPTY : this.#parseNode(false, false);
        pairs.push([key, this.#parseFlowValue('flow-mapping-end')]);
      } else pairs.push([this.#parseNode(false, false), EMPTY]);
    }
    this.#tokens.next();
    return pairs;
  }

  #parseFlowValue(end: 'flow-sequence-end' | 'flow-mapping-end'): YamlNode {
    if (!this.#sees('value')) return EMPTY;
    this.#tokens.next();
    return this.#sees('flow-entry', end) ? EMPTY : this.#parseNode(false, false);
  }

  #expectFlowEntry(problem: string, context: string, start: Mark): void {
    if (!this.#sees('flow-entry')) throw new YamlSyntaxError(problem, context, start);
    this.#tokens.next();
  }
}
