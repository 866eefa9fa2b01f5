import { expect, test } from 'vitest'
import { questionFor } from './ProofDialog.tsx'

const none = { totp: false, passkey: false, password: false, connection: undefined, wasShown: false }

test.each([
  [
    { ...none, act: 'delete a workspace', password: true, connection: 'Acme' },
    'To delete a workspace, give your password. You signed in more than ten minutes ago.',
  ],
  [
    { ...none, act: 'delete agents', totp: true, wasShown: true },
    'To delete agents, give a code of your authenticator app. The last proof was more than ten minutes ago.',
  ],
  [
    { ...none, act: undefined, totp: true, passkey: true, password: true },
    'To go on, give a code of your authenticator app or use a passkey. This session has shown no second factor.',
  ],
  [
    { ...none, act: 'remove a passkey', passkey: true, connection: 'Acme', wasShown: true },
    'To remove a passkey, use a passkey. The last proof was more than ten minutes ago.',
  ],
  [
    { ...none, act: 'delete agents', connection: 'Acme', wasShown: true },
    'To delete agents, sign in again with Acme. You signed in more than ten minutes ago.',
  ],
  [{ ...none, act: 'delete agents' }, 'To delete agents, sign in again. You signed in more than ten minutes ago.'],
])('the question for a proof of %j', (asked, words) => expect(questionFor(asked)).toBe(words))
