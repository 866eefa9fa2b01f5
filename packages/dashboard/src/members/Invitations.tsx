import { Button, Checkbox, Group, Text as Paragraph, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useClipboard } from '@mantine/hooks'
import type { Members, Role } from '@svc/api'
import { trimInvisible } from '@svc/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { meQuery, queryKeys } from '../data/queries.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { wrongWithEmail } from '../ui/forms/rules.ts'
import { Dialog, DialogFooter, ErrorNote, Text, Time, useConfirm } from '../ui/index.ts'
import { CopyLines } from '../ui/values/CopyLines.tsx'
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
      <div className="people-list">
        <ReachNote address={invitations.find(({ url }) => url !== null)?.url ?? ''} />
        <ul className="people">
          {invitations.map((invitation) => (
            <InvitationLine key={invitation.id} slug={slug} invitation={invitation} />
          ))}
        </ul>
      </div>
    </section>
  )
}

function InvitationLine({ slug, invitation }: { slug: string; invitation: Invitation }) {
  const client = useQueryClient()
  const clipboard = useClipboard({ timeout: 2000 })
  const confirm = useConfirm()
  const [shown, setShown] = useState<string>()
  const ask = useChange(async () =>
    setShown((await call('POST /w/:slug/invitations/:id/link', { slug, id: invitation.id })).url),
  )
  const { id, email, role, expiresAt, invitedBy, url, void: isVoid } = invitation
  const askToRevoke = () =>
    confirm({
      title: `Revoke the invitation of ${email}?`,
      content: 'The link stops working immediately. You can invite them again later.',
      confirm: 'Revoke',
      danger: true,
      act: async () => {
        await call('DELETE /w/:slug/invitations/:id', { slug, id })
        await client.invalidateQueries({ queryKey: queryKeys.members(slug) })
      },
    })
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
            onClick={() => ask.submit()}
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
          onClick={askToRevoke}
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
    </li>
  )
}

/**
 * A dialog that creates an invitation and shows its link. If the service can send mail, it mails the link on request.
 */
export function InviteDialog({ slug, opened, onClose }: { slug: string; opened: boolean; onClose: () => void }) {
  const [made, setMade] = useState<NewInvitation | null>(null)
  const close = () => {
    onClose()
    setMade(null)
  }
  return (
    <Dialog opened={opened} onClose={close} title={made ? `Link for ${made.email}` : 'Invite someone'}>
      {made ? (
        <Stack gap="md">
          <CopyLines text={made.url} label="invitation link" />
          <ReachNote address={made.url} />
          <Paragraph c="dimmed">
            {made.mailed ? `An email with this link is on its way to ${made.email}.` : 'Send this link yourself.'} It
            works once, for {made.email} only, and for seven days.
          </Paragraph>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <InviteForm slug={slug} onMade={setMade} onCancel={close} />
      )}
    </Dialog>
  )
}

interface NewInvitation {
  email: string
  url: string
  mailed: boolean
}

interface FormProps {
  slug: string
  onMade: (made: NewInvitation) => void
  onCancel: () => void
}

function InviteForm({ slug, onMade, onCancel }: FormProps) {
  const client = useQueryClient()
  const { data: me } = useQuery(meQuery)
  const mails = me?.mails === true
  const form = useForm<{ email: string; role: Role; mail: boolean }>({
    initialValues: { email: '', role: 'member', mail: true },
    validate: { email: wrongWithEmail },
  })
  const { busy, error, submit } = useChange(async ({ email, role, mail }: typeof form.values) => {
    const address = trimInvisible(email)
    const { url, mailed } = await call(
      'POST /w/:slug/invitations',
      { slug },
      { email: address, role, mail: mail && mails },
    )
    onMade({ email: address, url, mailed })
    void client.invalidateQueries({ queryKey: queryKeys.members(slug) })
  })
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <TextInput data-autofocus label="Email" type="email" autoComplete="off" {...form.getInputProps('email')} />
        <Radio.Group label="Role" {...form.getInputProps('role')}>
          <Stack gap={8} mt={6}>
            <Radio
              value="member"
              label="Member"
              description="Can view agents, runs, costs and commands, but no logs."
            />
            <Radio
              value="admin"
              label="Admin"
              description="Can also send commands, manage agents and people, and read logs."
            />
          </Stack>
        </Radio.Group>
        {mails ? (
          <Checkbox label="Send the link by email" {...form.getInputProps('mail', { type: 'checkbox' })} />
        ) : (
          <Paragraph c="dimmed">This service doesn’t send email. You get a link to send yourself.</Paragraph>
        )}
        <DialogFooter
          error={error}
          onCancel={onCancel}
          submit={mails && form.values.mail ? 'Invite' : 'Create link'}
          busy={busy}
        />
      </Stack>
    </form>
  )
}
