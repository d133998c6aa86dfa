/** A text that is no XML, or has a construct of XML that is not read. */
export class XmlRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'XmlRefused';
  }
}

/** An element, by its namespace and its local name. */
export interface XmlElement {
  /** A URI; empty without one. */
  readonly namespace: string;
  readonly name: string;
  /** Values by name, or by `{URI}name` with a prefix. Declarations of namespaces are left out. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** The text between its children, in one piece. */
  readonly text: string;
  /** Texts and children in their order. */
  readonly content: readonly (string | XmlElement)[];
  /** The name as it is written. */
  readonly qualified: string;
  /** Namespaces by prefix. */
  readonly scope: ReadonlyMap<string, string>;
}

const MOST_DEPTH = 40;
const MOST_ELEMENTS = 5000;
const MOST_ATTRIBUTES = 50;

const SPACE = '[ \\t\\r\\n]';
const NAME = '[A-Za-z_][\\w.-]*';
const QUALIFIED = `${NAME}(?::${NAME})?`;
const DECLARATION = new RegExp(
  `<\\?xml${SPACE}+version=["']1\\.0["'](?:${SPACE}+encoding=["'][Uu][Tt][Ff]-8["'])?(?:${SPACE}+standalone=["'](?:yes|no)["'])?${SPACE}*\\?>`,
  'y',
);
const BLANK = new RegExp(`${SPACE}*`, 'y');
const BEGIN = new RegExp(`<(${QUALIFIED})`, 'y');
const ATTRIBUTE = new RegExp(`${SPACE}+(${QUALIFIED})=(?:"([^"<\\t\\r\\n]*)"|'([^'<\\t\\r\\n]*)')`, 'y');
const END_OF_BEGIN = new RegExp(`${SPACE}*(/?)>`, 'y');
const END = new RegExp(`</(${QUALIFIED})${SPACE}*>`, 'y');
const TEXT = /[^<]+/y;
const REFERENCE = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9A-Fa-f]{1,6}));|&/g;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
/** Characters that XML does not have, and ends of lines that only some readers take for such. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not have these
const NO_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u0085\u2028\ufffe\uffff]|\p{Surrogate}/u;

interface OpenElement {
  readonly qualified: string;
  readonly namespace: string;
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly content: (string | XmlElement)[];
  /** Namespaces by prefix. */
  readonly scope: ReadonlyMap<string, string>;
}

/**
 * Reads a document of the part of XML that messages are made of: elements, attributes and text.
 * Throws XmlRefused for everything else: a DTD, entities, comments, CDATA, processing instructions,
 * names beyond ASCII, ends of lines in attributes, more than 5,000 elements, 40 levels, or 50
 * attributes of an element. So no other reader of XML can understand an accepted document in
 * another way.
 */
export function readStrictXml(text: string): XmlElement {
  return new StrictReader(text).read();
}

class StrictReader {
  readonly #text: string;
  #at = 0;
  #elements = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): XmlElement {
    if (NO_CHARACTER.test(this.#text)) throw new XmlRefused('It has characters that XML does not have');
    this.#take(DECLARATION);
    this.#take(BLANK);
    const root = this.#readTree();
    this.#take(BLANK);
    if (this.#at < this.#text.length) throw this.#refuse('There is something after the root');
    return root;
  }

  #readTree(): XmlElement {
    const open: OpenElement[] = [];
    for (;;) {
      const top = open.at(-1);
      const end = top === undefined ? null : this.#take(END);
      if (top !== undefined && end !== null) {
        if (end[1] !== top.qualified) throw this.#refuse(`'${top.qualified}' ends as '${end[1]}'`);
        open.pop();
        const parent = open.at(-1);
        if (parent === undefined) return closed(top);
        parent.content.push(closed(top));
        continue;
      }
      const text = top === undefined ? null : this.#take(TEXT);
      if (top !== undefined && text !== null) top.content.push(decode(text[0]));
      else {
        const { element, isEmpty } = this.#begin(top?.scope ?? new Map([['xml', XML_NAMESPACE]]));
        if (!isEmpty) open.push(element);
        else if (top === undefined) return closed(element);
        else top.content.push(closed(element));
        if (open.length > MOST_DEPTH) throw this.#refuse(`It has more than ${MOST_DEPTH} levels`);
      }
    }
  }

  #begin(outer: ReadonlyMap<string, string>): { readonly element: OpenElement; readonly isEmpty: boolean } {
    const qualified = this.#take(BEGIN)?.[1];
    if (qualified === undefined) throw this.#refuse('There is something else than elements and text');
    this.#elements += 1;
    if (this.#elements > MOST_ELEMENTS) throw this.#refuse(`It has more than ${MOST_ELEMENTS} elements`);
    const given = new Map<string, string>();
    for (let found = this.#take(ATTRIBUTE); found !== null; found = this.#take(ATTRIBUTE)) {
      const [, name = '', double, single] = found;
      if (given.has(name)) throw this.#refuse(`The attribute '${name}' is there twice`);
      if (given.size >= MOST_ATTRIBUTES) throw this.#refuse(`An element has more than ${MOST_ATTRIBUTES} attributes`);
      given.set(name, decode(double ?? single ?? ''));
    }
    const end = this.#take(END_OF_BEGIN);
    if (end === null) throw this.#refuse(`The element '${qualified}' does not end`);
    const scope = this.#declare(given, outer);
    const [namespace, name] = this.#resolve(qualified, scope, scope.get('') ?? '');
    const attributes = this.#qualifyAttributes(given, scope);
    return {
      element: { qualified, namespace, name, attributes, content: [], scope },
      isEmpty: end[1] === '/',
    };
  }

  #declare(given: ReadonlyMap<string, string>, outer: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const declared = [...given].filter(([name]) => isDeclaration(name));
    if (declared.length === 0) return outer;
    const scope = new Map(outer);
    for (const [name, uri] of declared) {
      const prefix = name.slice('xmlns:'.length);
      if (['xml', 'xmlns'].includes(prefix) || uri === XML_NAMESPACE || (prefix !== '' && uri === '')) {
        throw this.#refuse(`The namespace '${prefix}' cannot be declared so`);
      }
      scope.set(prefix, uri);
    }
    return scope;
  }

  #qualifyAttributes(
    given: ReadonlyMap<string, string>,
    scope: ReadonlyMap<string, string>,
  ): ReadonlyMap<string, string> {
    const attributes = new Map<string, string>();
    for (const [qualified, value] of given) {
      if (isDeclaration(qualified)) continue;
      const [namespace, name] = this.#resolve(qualified, scope, '');
      const key = namespace === '' ? name : `{${namespace}}${name}`;
      if (attributes.has(key)) throw this.#refuse(`The attribute '${name}' is there twice`);
      attributes.set(key, value);
    }
    return attributes;
  }

  #resolve(qualified: string, scope: ReadonlyMap<string, string>, usual: string): readonly [string, string] {
    const at = qualified.indexOf(':');
    if (at < 0) return [usual, qualified];
    const namespace = scope.get(qualified.slice(0, at));
    if (namespace === undefined) throw this.#refuse(`The prefix of '${qualified}' is not declared`);
    return [namespace, qualified.slice(at + 1)];
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }

  #refuse(reason: string): XmlRefused {
    return new XmlRefused(`${reason} (character ${this.#at})`);
  }
}

function isDeclaration(name: string): boolean {
  return name === 'xmlns' || name.startsWith('xmlns:');
}

function closed(element: OpenElement): XmlElement {
  const { content } = element;
  const children = content.filter((one) => typeof one !== 'string');
  return { ...element, children, text: content.filter((one) => typeof one === 'string').join('') };
}

function decode(text: string): string {
  if (text.includes(']]>')) throw new XmlRefused("A text has ']]>'");
  return text.replace(REFERENCE, (reference, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? '';
    if (reference === '&') throw new XmlRefused('It has an entity of its own');
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    const character = code > 0x10_ffff ? '\uffff' : String.fromCodePoint(code);
    if (NO_CHARACTER.test(character)) throw new XmlRefused('It has a reference to no character');
    return character;
  });
}

/** The children of an element with this namespace and name. */
export function elementsIn(element: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.namespace === namespace && child.name === name);
}

/** An element and all below it. */
export function* descendantsOf(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* descendantsOf(child);
}
