import type { EnvironmentRow } from '../data/code-shapes.ts';
import { printCanaryCount } from '../data/deploy-words.ts';
import { useAnswer } from '../data/use-answer.ts';
import { Link } from '../routing/link.tsx';
import { RelativeTime } from './time.tsx';

const EVERY_MS = 60_000;
/** A bound of staged deploys; the page Code shows all. */
const MOST_SHOWN = 2;

/**
 * Shows on every page that a server has no code, and which deploys are staged. It lies at
 * the end of the window, so that nothing moves when it comes.
 */
export function FleetBanner() {
  const { data } = useAnswer('/understudy/v1/environments', { events: ['deploy'], every: EVERY_MS });
  if (data === null) return null;
  const staged = data.environments
    .filter(({ stage }) => stage !== null && stage.state !== 'ending')
    .sort((a, b) => Number(b.stage?.state === 'held') - Number(a.stage?.state === 'held'));
  if (data.environments.length > 0 && staged.length === 0) return null;
  const more = staged.length - MOST_SHOWN;
  return (
    <aside class="fleet-banner" aria-label="State of the code">
      {data.environments.length === 0 && (
        <p class="notice notice-bad">
          <span>
            No code is deployed, so agents get an error and change nothing. <code>understudy code deploy</code> deploys
            some.
          </span>
        </p>
      )}
      {staged
        .slice(0, MOST_SHOWN)
        .map(({ name, stage }) => stage && <StageNotice key={name} name={name} stage={stage} />)}
      {more > 0 && (
        <p class="notice notice-wait">
          <Link to="/code">{more === 1 ? '1 more staged deploy' : `${more} more staged deploys`}</Link>
        </p>
      )}
    </aside>
  );
}

interface StageNoticeProps {
  readonly name: string;
  readonly stage: NonNullable<EnvironmentRow['stage']>;
}

function StageNotice({ name, stage: { state, reason, canaries, begunAt } }: StageNoticeProps) {
  const isHeld = state === 'held';
  return (
    <p class={isHeld ? 'notice notice-bad' : 'notice notice-wait'}>
      <span>
        {isHeld ? (
          `A deploy of ${name} is held and waits for somebody: ${reason}.`
        ) : (
          <>
            {`A deploy of ${name} is on trial for ${printCanaryCount(canaries)}, since `}
            <RelativeTime at={begunAt} />.
          </>
        )}
      </span>
      <Link to="/code">{isHeld ? 'Promote or abort it' : 'See its canaries'}</Link>
    </p>
  );
}
