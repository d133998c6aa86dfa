/**
 * JSON text with white space as PuppetDB's `pretty` gives it; strings and numbers stay as they are.
 */
export function indentJson(json: string): string {
  let depth = 0;
  return json.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]|\s+/g, (token) => {
    const line = () => `\n${'  '.repeat(depth)}`;
    switch (token) {
      case '{':
        depth++;
        return `{${line()}`;
      case '}':
        depth--;
        return `${line()}}`;
      case ',':
        return `,${line()}`;
      case ':':
        return ' : ';
      default:
        return token.trim() === '' ? '' : token;
    }
  });
}
