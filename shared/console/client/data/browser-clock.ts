/** The present time in milliseconds since 1970. The only reader of the browser's clock. */
export function readBrowserClock(): number {
  return Date.now();
}
