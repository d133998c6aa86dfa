import { createVerify, X509Certificate } from 'node:crypto';
import { ALGORITHMS, SAML } from './saml-names.ts';
import { elementsIn, type XmlElement } from './strict-xml.ts';

const [, SHA512] = ALGORITHMS.SignatureMethod;

/**
 * The certificates whose keys made all of these signatures, by what the signatures themselves say:
 * it takes a millisecond, whatever the size of the document. The digests in them are not checked.
 */
// An optimisation: without it, a document of 30 KB that nobody signed takes 250 ms for each
// certificate of the provider (November 2026). Pass all certificates on to switch it off.
export function findSigners(signatures: readonly XmlElement[], certificates: readonly string[]): readonly string[] {
  return certificates.filter((certificate) => {
    const { publicKey } = new X509Certificate(certificate);
    return signatures.every((signature) => {
      const [info] = elementsIn(signature, SAML.signature, 'SignedInfo');
      const [value] = elementsIn(signature, SAML.signature, 'SignatureValue');
      if (info === undefined || value === undefined) return false;
      const [method] = elementsIn(info, SAML.signature, 'SignatureMethod');
      const name = method?.attributes.get('Algorithm') === SHA512 ? 'RSA-SHA512' : 'RSA-SHA256';
      return createVerify(name)
        .update(canonicalize(info, new Map(), inclusivePrefixes(info)))
        .verify(publicKey, value.text.replaceAll(/\s/g, ''), 'base64');
    });
  });
}

/** Prefixes whose namespaces are written although no name has them. */
function inclusivePrefixes(info: XmlElement): readonly string[] {
  const [method] = elementsIn(info, SAML.signature, 'CanonicalizationMethod');
  const list = method?.children[0]?.attributes.get('PrefixList') ?? '';
  return list.split(/\s+/).flatMap((prefix) => (prefix === '' ? [] : [prefix === '#default' ? '' : prefix]));
}

/** Exclusive canonical XML without comments, of elements whose attributes have no namespaces. */
function canonicalize(element: XmlElement, outer: ReadonlyMap<string, string>, inclusive: readonly string[]): string {
  const { qualified, scope, attributes, content } = element;
  const at = qualified.indexOf(':');
  const used = [at < 0 ? '' : qualified.slice(0, at), ...inclusive.filter((prefix) => scope.has(prefix))];
  const written = new Map(outer);
  const declarations: string[] = [];
  for (const prefix of [...new Set(used)].sort()) {
    const uri = scope.get(prefix) ?? '';
    if ((written.get(prefix) ?? '') === uri) continue;
    written.set(prefix, uri);
    declarations.push(` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${escapeValue(uri)}"`);
  }
  const names = [...attributes.keys()].sort().map((name) => ` ${name}="${escapeValue(attributes.get(name) ?? '')}"`);
  const inner = content.map((one) =>
    typeof one === 'string' ? escapeText(one) : canonicalize(one, written, inclusive),
  );
  return `<${qualified}${declarations.join('')}${names.join('')}>${inner.join('')}</${qualified}>`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#xD;');
}

function escapeValue(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  return escaped.replaceAll('\t', '&#x9;').replaceAll('\n', '&#xA;').replaceAll('\r', '&#xD;');
}
