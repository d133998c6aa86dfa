const LOGIN = /\b([a-z][\w+.-]{0,20}:\/\/)((?:(?!:\/\/)\S)*)@/gi;
/** A host, and perhaps its port: an `@` behind them is one of the path. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?\//i;

/**
 * A text with the URLs in it as they may be shown: without passwords, and without users of http and
 * https, who may be tokens. A password counts up to the last `@`, because people forget to encode
 * what it has. Hide first, and then cut: a login without its `@` is not found.
 */
export function hideLogins(text: string): string {
  return text.replace(LOGIN, (whole: string, scheme: string, login: string) => {
    if (HOST.test(login)) return whole;
    if (/^https?:/i.test(scheme)) return `${scheme}…@`;
    const [user = '', ...rest] = login.split(':');
    return rest.length === 0 ? whole : `${scheme}${user}:…@`;
  });
}
