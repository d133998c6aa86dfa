/**
 * Why Ruby would refuse `pattern` as a regular expression, as its message says it, or null when nothing is known
 * against it. The text is looked at as Onigmo reads it; properties of characters and look-behinds are not judged.
 */
export function rubyRegexpProblem(pattern: string): string | null {
  const problem = new PatternScanner(pattern).problem();
  return problem === null ? null : `${problem}: /${pattern.replace(/\\[\s\S]|\//g, escapedSlash)}/`;
}

function escapedSlash(part: string): string {
  return part === '/' ? '\\/' : part;
}

const POSIX_BRACKETS = /^\^?(?:alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit|ascii|word)$/;
const REPEAT_LIMIT = 100_000;

class PatternScanner {
  readonly #pattern: string;
  #at = 0;
  #depth = 0;
  /** Whether something stands before that can be repeated. */
  #hasOperand = false;
  #groups = 0;
  #names = new Set<string>();
  readonly #references: { readonly group: number | string; readonly problem: string }[] = [];

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  problem(): string | null {
    while (this.#at < this.#pattern.length) {
      const problem = this.#step();
      if (problem !== null) return problem;
    }
    if (this.#depth > 0) return 'end pattern with unmatched parenthesis';
    const missing = this.#references.find(({ group }) => {
      return typeof group === 'number' ? group > this.#groups : !this.#names.has(group);
    });
    return missing?.problem ?? null;
  }

  #step(): string | null {
    switch (this.#pattern[this.#at]) {
      case '\\':
        return this.#escape();
      case '[':
        this.#hasOperand = true;
        return this.#characterClass();
      case '(':
        return this.#group();
      case ')':
        return this.#closeGroup();
      case '|':
        this.#at++;
        this.#hasOperand = false;
        return null;
      case '*':
      case '+':
      case '?':
        return this.#repeat(1);
      case '{':
        return this.#interval();
      default:
        this.#at++;
        this.#hasOperand = true;
        return null;
    }
  }

  #repeat(length: number): string | null {
    if (!this.#hasOperand) return 'target of repeat operator is not specified';
    this.#at += length;
    return null;
  }

  #interval(): string | null {
    const match = /^\{(\d*)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#at, this.#at + 20));
    const [text = '', lower = '', comma, upper = ''] = match ?? [];
    if (!match || (lower === '' && upper === '')) {
      this.#at++;
      this.#hasOperand = true;
      return null;
    }
    if (Number(lower) > REPEAT_LIMIT || Number(upper) > REPEAT_LIMIT) return 'too big number for repeat range';
    if (comma && upper !== '' && Number(lower) > Number(upper)) return 'upper is smaller than lower in repeat range';
    return this.#repeat(text.length);
  }

  #closeGroup(): string | null {
    this.#at++;
    this.#depth--;
    this.#hasOperand = true;
    return this.#depth < 0 ? 'unmatched close parenthesis' : null;
  }

  #group(): string | null {
    this.#at++;
    this.#hasOperand = false;
    if (this.#pattern[this.#at] !== '?') {
      this.#groups++;
      this.#depth++;
      return null;
    }
    const rest = this.#pattern.slice(this.#at + 1);
    if (rest.startsWith('#')) return this.#comment();
    const simple = /^(?:[:=!>~]|<[=!]|\()/.exec(rest);
    if (simple) return this.#open(1 + simple[0].length);
    const named = /^(?:<([^>)]*)>?|'([^')]*)'?)/.exec(rest);
    if (named) return this.#namedGroup(named[0], named[1] ?? named[2] ?? '');
    const options = /^[a-z-]*([:)])/.exec(rest);
    if (!options || !/^(?:[imxadu]*(?:-[imx]*)?)[:)]$/.test(options[0]) || options[0] === ')')
      return 'undefined group option';
    if (options[1] === ':') return this.#open(1 + options[0].length);
    this.#at += 1 + options[0].length;
    return null;
  }

  #open(length: number): null {
    this.#at += length;
    this.#depth++;
    return null;
  }

  #namedGroup(text: string, name: string): string | null {
    if (!/[>']$/.test(text) || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) return `invalid group name <${name}>`;
    this.#names.add(name);
    this.#groups++;
    return this.#open(1 + text.length);
  }

  #comment(): string | null {
    const close = this.#pattern.indexOf(')', this.#at);
    if (close < 0) return 'end pattern in group';
    this.#at = close + 1;
    return null;
  }

  #escape(): string | null {
    const rest = this.#pattern.slice(this.#at + 1, this.#at + 60);
    this.#hasOperand = true;
    this.#at += 2;
    if (rest === '') return 'too short escape sequence';
    if (/^x(?![0-9a-fA-F{])/.test(rest)) return 'invalid hex escape';
    if (/^u(?![0-9a-fA-F]{4}|\{)/.test(rest)) return 'invalid Unicode escape';
    const number = /^[1-9](?!\d)/.exec(rest);
    if (number) this.#references.push({ group: Number(number[0]), problem: 'invalid backref number/name' });
    const name = /^[kg]<([\p{L}_][\p{L}\p{N}_]*)>/u.exec(rest);
    if (name?.[1]) this.#references.push({ group: name[1], problem: `undefined name <${name[1]}> reference` });
    return null;
  }

  /** Classes nest; a `]` in first place is itself when another one closes the class. */
  #characterClass(): string | null {
    this.#at++;
    if (this.#pattern[this.#at] === '^') this.#at++;
    if (this.#pattern[this.#at] === ']') {
      if (!this.#pattern.includes(']', this.#at + 1)) return 'empty char-class';
      this.#at++;
    }
    while (this.#at < this.#pattern.length) {
      const char = this.#pattern[this.#at];
      if (char === ']') {
        this.#at++;
        return null;
      }
      const problem = char === '[' ? this.#nestedClass() : this.#member();
      if (problem !== null) return problem;
    }
    return 'premature end of char-class';
  }

  #nestedClass(): string | null {
    const bracket = /^\[:([^:\]]*):\]/.exec(this.#pattern.slice(this.#at));
    if (!bracket) return this.#characterClass();
    this.#at += bracket[0].length;
    return POSIX_BRACKETS.test(bracket[1] ?? '') ? null : 'invalid POSIX bracket type';
  }

  #member(): string | null {
    const pattern = this.#pattern;
    if (pattern[this.#at] === '\\') {
      this.#at += 2;
      return this.#at > pattern.length ? 'too short escape sequence' : null;
    }
    const range = /^([^\\[\]])-([^\\[\]])/u.exec(pattern.slice(this.#at, this.#at + 6));
    this.#at += range ? range[0].length : 1;
    const [, from = '', to = ''] = range ?? [];
    return (from.codePointAt(0) ?? 0) > (to.codePointAt(0) ?? 0) ? 'empty range in char class' : null;
  }
}
