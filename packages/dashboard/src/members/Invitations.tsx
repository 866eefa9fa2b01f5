import { Button, Group, Stack } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import type { Members } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { keys } from '../data/queries.ts'
import { useSubmit } from '../ui/forms/useSubmit.ts'
import { Confirm, CopyLines, Dialog, ErrorNote, Text, Time } from '../ui/index.ts'
import { ReachNote } from '../ui/values/ReachNote.tsx'

type Invitation = Members['invitations'][number]

/**
 * The invitations to the workspace that nobody has accepted yet. An invitation whose link is void is listed too, with
 * the reason.
 */
export function Invitations({ slug, invitations }: { slug: string; invitations: Invitation[] }) {
  if (invitations.length === 0) return null
  return (
    <section className="people-section">
      <h2>Invitations</h2>
      <ReachNote address={invitations.find(({ url }) => url !== null)?.url ?? ''} />
      <ul className="people">
        {invitations.map((invitation) => (
          <InvitationLine key={invitation.id} slug={slug} invitation={invitation} />
        ))}
      </ul>
    </section>
  )
}

function InvitationLine({ slug, invitation }: { slug: string; invitation: Invitation }) {
  const client = useQueryClient()
  const clipboard = useClipboard({ timeout: 2000 })
  const [ending, setEnding] = useState(false)
  const [shown, setShown] = useState<string>()
  const ask = useSubmit(async () =>
    setShown((await call('POST /w/:slug/invitations/:id/link', { slug, id: invitation.id })).url),
  )
  const { id, email, role, expiresAt, invitedBy, url, void: isVoid } = invitation
  return (
    <li className="person">
      <div className="person-who">
        <strong>
          <Text>{email}</Text>
        </strong>
        <div className="svc-quiet">
          As {role === 'admin' ? 'an admin' : 'a member'}, by <Text>{invitedBy}</Text>
          {isVoid ? (
            <>. The link is void, because they can no longer invite {role === 'admin' ? 'admins' : 'members'}.</>
          ) : (
            <>
              ; expires <Time at={expiresAt} />
            </>
          )}
        </div>
        {ask.error !== null && <ErrorNote error={ask.error} />}
      </div>
      <div className="person-acts">
        {!isVoid && url === null && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={ask.submit}
            loading={ask.busy}
            aria-label={`Show link for ${email}`}
          >
            Show link
          </Button>
        )}
        {!isVoid && url !== null && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => clipboard.copy(url)}
            aria-label={`Copy link for ${email}`}
          >
            {clipboard.copied ? 'Copied' : 'Copy link'}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          onClick={() => setEnding(true)}
          aria-label={`Revoke the invitation of ${email}`}
        >
          {' '}
          Revoke{' '}
        </Button>
      </div>
      <Dialog opened={shown !== undefined} onClose={() => setShown(undefined)} title={`Link for ${email}`}>
        <Stack gap="md">
          <CopyLines text={shown ?? ''} label="invitation link" />
          <ReachNote address={shown ?? ''} />
          <div className="svc-quiet">It makes {email} an admin. It works once, and for this address only.</div>
          <Group justify="flex-end">
            <Button onClick={() => setShown(undefined)}>Done</Button>
          </Group>
        </Stack>
      </Dialog>
      <Confirm
        opened={ending}
        onClose={() => setEnding(false)}
        title={`Revoke the invitation of ${email}?`}
        confirm="Revoke"
        danger
        onConfirm={async () => {
          await call('DELETE /w/:slug/invitations/:id', { slug, id })
          await client.invalidateQueries({ queryKey: keys.members(slug) })
        }}
      >
        The link stops working immediately. You can invite them again later.
      </Confirm>
    </li>
  )
}
