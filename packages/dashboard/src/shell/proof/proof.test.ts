import { expect, test } from 'vitest'
import { questionFor } from './ProofDialog.tsx'

test.each([
  [
    { act: 'delete a workspace', totp: false, passkey: false, wasShown: false },
    'To delete a workspace, give your password. You signed in more than ten minutes ago.',
  ],
  [
    { act: 'delete agents', totp: true, passkey: false, wasShown: true },
    'To delete agents, give a code of your authenticator app. The last proof was more than ten minutes ago.',
  ],
  [
    { act: undefined, totp: true, passkey: true, wasShown: false },
    'To go on, give a code of your authenticator app or use a passkey. This session has shown no second factor.',
  ],
  [
    { act: 'remove a passkey', totp: false, passkey: true, wasShown: true },
    'To remove a passkey, use a passkey. The last proof was more than ten minutes ago.',
  ],
])('the question for a proof of %j', (asked, words) => expect(questionFor(asked)).toBe(words))
