/** The Allow header of a refused method. */
export const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, DELETE';

/**
 * Status 405 for TRACE, which would send a client its own request. The Fetch standard forbids it.
 */
export function refuseMethod(method: string): Response | null {
  if (method !== 'TRACE') return null;
  return new Response(null, { status: 405, headers: { Allow: ALLOWED_METHODS, 'Content-Length': '0' } });
}

/** Jetty's answer to an unreadable request line. */
export function badMessage(): Response {
  const body = '<h1>Bad Message 400</h1><pre>reason: Bad Request</pre>';
  const headers = { 'Content-Type': 'text/html;charset=iso-8859-1', 'Content-Length': String(body.length) };
  return new Response(body, { status: 400, headers });
}

/**
 * Checks a raw path without query before routing. Returns an error response for invalid
 * percent-encoding or UTF-8, a NUL or a backslash, or a `.` or `..` segment, encoded or not; null
 * for a valid path.
 */
// Differs from Puppet: Jetty reads invalid UTF-8 as Latin-1, and then finds no such file.
export function refusePath(path: string): Response | null {
  const decoded = decode(path);
  if (decoded === null || /[\0\\]/.test(decoded)) return badMessage();
  const segments = decoded.split('/');
  if (!segments.some((segment) => segment === '.' || segment === '..')) return null;
  if (climbsOut(segments)) return badMessage();
  // A byte body gets no default content type: trapperkeeper-authorization sends none.
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
