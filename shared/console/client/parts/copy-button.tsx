import { announce } from './toasts.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** Name of the text, for assistive technology and the announcement: `the code id`. */
  readonly what: string;
}

/** A small button that puts a text on the clipboard, and says so. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      announce(`Copied ${what}.`);
    } catch {
      announce(`The browser did not copy ${what}: mark it, and copy it by hand.`, 'bad');
    }
  };
  return (
    <button type="button" class="copy-button" aria-label={`Copy ${what}`} title={`Copy ${what}`} onClick={copy}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d="M6 4V2h8v8h-2M2 6h8v8H2z" />
      </svg>
    </button>
  );
}
