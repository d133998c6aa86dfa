import { useAnswer } from '../../data/use-answer.ts';
import { AfterAnswer, useSettled } from '../../parts/after-answer.tsx';
import { PageHead } from '../../parts/panel.tsx';
import { IssuedPanel } from './issued-panel.tsx';
import { WaitingPanel } from './waiting-panel.tsx';

/** Requests that are read at once; the others come when some of these are signed. */
const MOST_REQUESTS = 200;

/** Requests that wait for a signature, and the certificates. */
export function CertificatesPage() {
  const waiting = useAnswer(`/understudy/v1/certificates?state=requested&limit=${MOST_REQUESTS}`, {
    events: ['certificate-requests'],
    every: 15_000,
  });
  const isSettled = useSettled([waiting]);
  return (
    <>
      <PageHead title="Certificates" lead="Sign only requests whose fingerprint you have seen on the node" />
      <div class="grid one-line-rows">
        <WaitingPanel answer={waiting} />
        <AfterAnswer isSettled={isSettled}>
          <IssuedPanel />
        </AfterAnswer>
      </div>
    </>
  );
}
