import { useState } from 'preact/hooks';
import { type ConsoleSession, logIn } from '../data/session.ts';
import { useAction } from '../data/use-action.ts';
import { TextField } from '../parts/fields.tsx';

interface LogInPageProps {
  readonly onLogIn: (session: ConsoleSession) => void;
  /** Whether another page led here. */
  readonly hasEnded: boolean;
}

/** Asks for login and password. */
export function LogInPage({ onLogIn, hasEnded }: LogInPageProps) {
  const [login, setLogin] = useState('');
  const [password, setPassword] = useState('');
  const enter = useAction(async () => onLogIn(await logIn(login, password)));
  return (
    <main class="log-in">
      <form
        class="log-in-card"
        onSubmit={(event) => {
          event.preventDefault();
          enter.run(undefined);
        }}
      >
        <img src="/console/icon.svg" alt="" width="40" height="40" />
        <h1>Understudy</h1>
        <p class="muted">{hasEnded ? 'Log in to continue where you were.' : 'Log in to see the fleet.'}</p>
        {enter.fault !== null && (
          <p class="notice notice-bad" role="alert">
            {enter.fault.message}
          </p>
        )}
        <TextField label="Login" value={login} onChange={setLogin} autoComplete="username" isRequired />
        <TextField
          label="Password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          isRequired
        />
        <button type="submit" class="button button-primary button-wide" aria-disabled={enter.isRunning}>
          {enter.isRunning ? 'Logging in' : 'Log in'}
        </button>
        <p class="field-hint">
          No account yet? <code>understudy access user create LOGIN</code> makes one.
        </p>
      </form>
    </main>
  );
}
