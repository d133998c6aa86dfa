import { BoundedCache } from '../../util/bounded-cache.ts';
import type { Environment } from '../environment/environment.ts';
import { readUtf8 } from '../environment/utf8-text.ts';
import type { CompileLog } from '../errors/compile-log.ts';
import type { CompileSettings } from '../evaluator/ports.ts';
import type { Program } from '../language/ast.ts';
import { parseProgram } from '../language/parser.ts';
import { languageOf } from '../levels/language.ts';
import { assertValid, checkProgram, type Diagnostic } from '../validation/check.ts';
import { namespaceOfFile } from './module-namespace.ts';

export interface ParsedManifest {
  readonly program: Program;
  readonly diagnostics: readonly Diagnostic[];
  /** Characters of the text. */
  readonly characters: number;
}

/** About 90 MB of syntax trees: 1,750 manifests of packaged modules have 5.7 million characters. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/**
 * A process-wide cache of parsed and checked manifests, keyed by path, content and the inputs of
 * the checks. All compiles share it, so that an unchanged manifest is parsed once.
 */
export class ParseCache {
  readonly #parsed: BoundedCache<ParsedManifest>;

  /** `limit`: characters of all manifests, after which those used least recently are evicted. */
  constructor(limit = MOST_CHARACTERS) {
    this.#parsed = new BoundedCache(limit, ({ characters }) => characters);
  }

  get(key: string, parse: () => ParsedManifest): ParsedManifest {
    const known = this.#parsed.get(key);
    if (known) return known;
    const parsed = parse();
    this.#parsed.set(key, parsed);
    return parsed;
  }
}

/**
 * Reads, parses and checks the manifests of one environment. Warnings of the checks go to the log
 * of the compile.
 */
export class ManifestParser {
  readonly #environment: Environment;
  readonly #settings: CompileSettings;
  readonly #log: CompileLog;
  readonly #cache: ParseCache;
  /** The start of the names of memoized programs. */
  readonly #prefix: string;

  constructor(environment: Environment, settings: CompileSettings, log: CompileLog, cache: ParseCache) {
    this.#environment = environment;
    this.#settings = settings;
    this.#log = log;
    this.#cache = cache;
    this.#prefix = `manifest ${settings.language} ${settings.strict} ${settings.tasks} `;
  }

  /**
   * Returns the program in a file; null when the file does not exist. Throws Puppet's error for an
   * invalid file.
   */
  parseFile(path: string): Program | null {
    const parsed = this.#environment.memoize(this.#prefix + path, () => this.#parseFile(path));
    return parsed && this.#accept(parsed);
  }

  #parseFile(path: string): ParsedManifest | null {
    const digest = this.#environment.digest(path);
    if (digest === null) return null;
    const { language, strict, tasks } = this.#settings;
    const namespace = namespaceOfFile(path, this.#environment);
    const key = [path, digest, language, strict, tasks, namespace].join('\u0000');
    return this.#cache.get(key, () => this.#parse(readUtf8(this.#environment, path) ?? '', path, namespace));
  }

  /** Returns the program in a text without a file. */
  parseText(source: string): Program {
    return this.#accept(this.#parse(source, null, null));
  }

  #parse(source: string, file: string | null, namespace: string | null): ParsedManifest {
    const { language, strict, tasks } = this.#settings;
    const program = parseProgram(source, { file, tasks, log: this.#log });
    const diagnostics = checkProgram(program, { language: languageOf(language), strict, tasks, namespace });
    return { program, diagnostics, characters: source.length };
  }

  #accept({ program, diagnostics }: ParsedManifest): Program {
    assertValid(program, diagnostics, this.#log);
    return program;
  }
}
