/** The documentation of a definition, from a comment in the form of Puppet Strings. */
export interface StringsComment {
  /** The summary, else the text before the first tag. */
  readonly description: string;
  readonly isPrivate: boolean;
  /** Descriptions of parameters by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface Tag {
  readonly name: string;
  readonly lines: string[];
}

/**
 * Reads the comment that stands directly above a definition. `source` is the text of the file up to
 * the definition. Follows Puppet Strings: `@summary`, `@param NAME text`, `@api private`,
 * `@private true`; indented lines continue a tag.
 */
export function readStringsComment(source: string): StringsComment {
  const tags = splitTags(takeComment(source));
  const textOf = (name: string) =>
    tags
      .find((tag) => tag.name === name)
      ?.lines.join('\n')
      .trim() ?? '';
  const parameters = tags.flatMap(({ name, lines }) => {
    const [, parameter, text = ''] = /^(?:\[[^\]]*\]\s*)?(\w+)\s*(.*)$/s.exec(lines.join('\n').trim()) ?? [];
    return name === 'param' && parameter !== undefined ? [[parameter, text.trim()] as const] : [];
  });
  return {
    description: textOf('summary') || textOf(''),
    isPrivate: textOf('api') === 'private' || textOf('private') === 'true',
    parameters: Object.fromEntries(parameters),
  };
}

/** The lines of the comment at the end of a text, without their marks. */
function takeComment(source: string): readonly string[] {
  const lines = source.split('\n');
  // The last line is the text before the definition on the same line, which may be empty.
  lines.pop();
  const comment: string[] = [];
  for (let line = lines.pop(); line !== undefined && /^\s*#/.test(line); line = lines.pop()) {
    comment.unshift(line.replace(/^\s*# ?/, '').trimEnd());
  }
  return comment;
}

/** Splits a comment at its tags. The text before the first one is a tag with an empty name. */
function splitTags(lines: readonly string[]): readonly Tag[] {
  const tags: Tag[] = [{ name: '', lines: [] }];
  for (const line of lines) {
    const [, name, rest = ''] = /^@(\w+)\s*(.*)$/.exec(line) ?? [];
    const last = tags.at(-1);
    if (name !== undefined) tags.push({ name, lines: [rest] });
    else if (last?.name === '' || /^(\s{2,}|$)/.test(line)) last?.lines.push(line.trim());
    else tags.push({ name: '', lines: [line] });
  }
  return tags;
}
