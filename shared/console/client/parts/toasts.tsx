import { useEffect, useState } from 'preact/hooks';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

const SHOWN_MS = 10_000;
const MOST_TOASTS = 4;

let last = 0;
let show: ((toast: Toast) => void) | null = null;

/** Says in a corner what came of something, for ten seconds; a failure stays until it is closed. */
export function announce(text: string, tone: Toast['tone'] = 'good'): void {
  last += 1;
  show?.({ id: last, text, tone });
}

/** The corner in which announcements stand. */
export function Toasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const close = (id: number) => setToasts((before) => before.filter((toast) => toast.id !== id));
  useEffect(() => {
    show = (toast) => {
      setToasts((before) => [...before, toast].slice(-MOST_TOASTS));
      if (toast.tone === 'good') window.setTimeout(() => close(toast.id), SHOWN_MS);
    };
    return () => {
      show = null;
    };
  }, []);
  return (
    <div class="toasts" aria-live="polite" role="status">
      {toasts.map(({ id, text, tone }) => (
        <div key={id} class={`toast toast-${tone}`}>
          <span>{text}</span>
          <button
            type="button"
            class="icon-button"
            aria-label="Close this message"
            onClick={() => {
              close(id);
              // The button is gone with the message: the next key is for the page.
              document.getElementById('content')?.focus({ preventScroll: true });
            }}
          >
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
