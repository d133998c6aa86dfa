import { useEffect, useState } from 'preact/hooks';
import type { ApiSchema } from '../../../api/described-answers.ts';
import { keepDismissed, readDismissed } from '../data/notices/dismissed-notices.ts';
import { type FleetNotice, listNotices } from '../data/notices/fleet-notices.ts';
import { Link } from '../routing/link.tsx';
import { RelativeTime } from './time.tsx';

/** Lines before those that a button shows. */
const MOST_SHOWN = 3;

interface FleetBannerProps {
  readonly activity: ApiSchema<'Activity'>;
}

/**
 * Shows above every page, a line each, what needs somebody and what is under way. What needs nobody
 * can be dismissed; it is shown again when it comes again.
 */
export function FleetBanner({ activity }: FleetBannerProps) {
  const [dismissed, setDismissed] = useState(readDismissed);
  const [isWhole, setWhole] = useState(false);
  const notices = listNotices(activity);
  // A dismissed notice that ended is shown when it begins again.
  const present = dismissed.filter((id) => notices.some((notice) => notice.id === id));
  const hasEnded = present.length < dismissed.length;
  const dismiss = (ids: readonly string[]) => {
    // Kept at once: a page that is loaded again must not show it.
    keepDismissed(ids);
    setDismissed(ids);
  };
  useEffect(() => {
    if (hasEnded) dismiss(present);
  });
  const open = notices.filter(({ id, tone }) => tone === 'bad' || !dismissed.includes(id));
  if (open.length === 0) return null;
  const shown = isWhole ? open : open.slice(0, MOST_SHOWN);
  return (
    <aside class="fleet-banner" aria-label="State of the fleet">
      <ul>
        {shown.map((notice) => (
          <NoticeLine key={notice.id} notice={notice} onDismiss={() => dismiss([...present, notice.id])} />
        ))}
      </ul>
      {open.length > MOST_SHOWN && (
        <button type="button" class="button button-small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Fewer' : `${open.length - MOST_SHOWN} more`}
        </button>
      )}
    </aside>
  );
}

interface NoticeLineProps {
  readonly notice: FleetNotice;
  readonly onDismiss: () => void;
}

function NoticeLine({ notice: { tone, text, at, link }, onDismiss }: NoticeLineProps) {
  return (
    <li class={`fleet-notice fleet-notice-${tone}`}>
      <span class="fleet-notice-text" title={text}>
        {text}
        {at !== undefined && (
          <>
            {' '}
            <RelativeTime at={at} />
          </>
        )}
      </span>
      {link !== null && <Link to={link[0]}>{link[1]}</Link>}
      {tone !== 'bad' && (
        <button type="button" class="dismiss-button" aria-label={`Dismiss: ${text}`} onClick={onDismiss}>
          ×
        </button>
      )}
    </li>
  );
}
