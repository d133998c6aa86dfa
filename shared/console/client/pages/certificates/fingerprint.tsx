import { CopyButton } from '../../parts/copy-button.tsx';

/** Bytes of a fingerprint that a row shows. */
const SHOWN_BYTES = 8;

/** A fingerprint in a fixed width that breaks between its bytes. */
export function Fingerprint({ text }: { readonly text: string }) {
  const parts = text.split(':');
  return (
    <code class="fingerprint">
      {parts.map((part, index) => (
        <span key={index}>
          {part}
          {index < parts.length - 1 && ':'}
          <wbr />
        </span>
      ))}
    </code>
  );
}

/** The first bytes of a fingerprint; all of it on hover, and on the clipboard. */
export function ShortFingerprint({ text, of }: { readonly text: string; readonly of: string }) {
  const parts = text.split(':');
  return (
    <span class="short-id">
      <code title={text}>
        {parts.slice(0, SHOWN_BYTES).join(':')}
        {parts.length > SHOWN_BYTES && '…'}
      </code>
      <CopyButton text={text} what={`the fingerprint of ${of}`} />
    </span>
  );
}
