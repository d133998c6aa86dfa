/** `File.basename`, `File.dirname` and `File.extname` of Ruby. */

export function baseName(path: string, suffix = ''): string {
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed === '') return path === '' ? '' : '/';
  const name = trimmed.slice(trimmed.lastIndexOf('/') + 1);
  if (suffix === '.*') return name.slice(0, name.length - getFileExtension(name).length);
  return suffix !== '' && name.endsWith(suffix) && name !== suffix ? name.slice(0, -suffix.length) : name;
}

export function directoryName(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  const slash = trimmed.lastIndexOf('/');
  if (trimmed === '') return path === '' ? '.' : '/';
  if (slash < 0) return '.';
  return trimmed.slice(0, slash).replace(/\/+$/, '') || '/';
}

/** The extension: `.rb` of `a.rb`; empty for `.profile` and `a.`. */
export function getFileExtension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/^\.+/, '');
  const dot = name.lastIndexOf('.');
  return dot <= 0 || dot === name.length - 1 ? (dot === name.length - 1 && dot > 0 ? '.' : '') : name.slice(dot);
}
