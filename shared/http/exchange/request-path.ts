/** Jetty's answer to a request line that it cannot read. */
export function badMessage(): Response {
  const body = '<h1>Bad Message 400</h1><pre>reason: Bad Request</pre>';
  const headers = { 'Content-Type': 'text/html;charset=iso-8859-1', 'Content-Length': String(body.length) };
  return new Response(body, { status: 400, headers });
}

/**
 * The answer to a path (raw, without query) that no route may see: one that is no percent-encoded
 * UTF-8, holds a NUL or a backslash, or has a `.` or `..` in it, encoded or not; null when it is in
 * order.
 */
// Differs from Puppet: Jetty takes bytes that are no UTF-8 for Latin-1, and then finds no such
// file.
export function refusePath(path: string): Response | null {
  const decoded = decode(path);
  if (decoded === null || /[\0\\]/.test(decoded)) return badMessage();
  const segments = decoded.split('/');
  if (!segments.some((segment) => segment === '.' || segment === '..')) return null;
  if (climbsOut(segments)) return badMessage();
  // Bytes, so that no content type is made up for them: trapperkeeper-authorization sends none.
  const text = new TextEncoder().encode(`Invalid relative path (.. or .) in: ${decoded}`);
  return new Response(text, { status: 400 });
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function climbsOut(segments: readonly string[]): boolean {
  let depth = 0;
  for (const segment of segments) {
    if (segment === '..') depth -= 1;
    else if (segment !== '' && segment !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}
