import { DoorShell } from '../shell/DoorShell.tsx'
import { CopyLines } from '../ui/index.ts'

/** Shown instead of the sign-in while nobody has an account, because nobody could sign in. */
export const FirstPage = () => (
  <DoorShell title="Welcome" note="Nobody has an account yet. Open the link that the service printed in its terminal.">
    <p className="svc-door-hint">Lost the link? On the machine of the service, this prints a new one:</p>
    <CopyLines text="npx svc-server link --first" label="command" />
  </DoorShell>
)
