import { Button } from '@mantine/core'
import type { PersonalChannelRow } from '@svc/api'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { Text } from '../../ui/index.ts'
import { DisabledBecause, LastAnswer, TestButton } from './ChannelParts.tsx'
import { ChannelState } from './ChannelState.tsx'
import { kindName } from './channel-kinds.ts'
import { MyChannelForm } from './MyChannelForm.tsx'
import { sentenceOf } from './my-channel-words.ts'
import { TestResult } from './TestResult.tsx'
import { useChannelTest } from './useChannelTest.ts'

/** Shows one personal channel of the signed-in person, and which alerts are sent to it and when. */
export function MyChannel({ slug, channel }: { slug: string; channel: PersonalChannelRow }) {
  const { name, kind, address, disabledBecause, lastAnswer, lastAt } = channel
  const [editing, setEditing] = useState(false)
  const test = useChannelTest(slug, {
    send: () => call('POST /w/:slug/my-channels/:channel/test', { slug, channel: name }),
    follow: (id) => call('GET /w/:slug/my-channels/:channel/tests/:id', { slug, channel: name, id }),
  })
  return (
    <li>
      <div className="al-item">
        <div className="al-words">
          <div className="al-name">
            <strong>{name}</strong>
            <span>{kindName(kind)}</span>
            <ChannelState {...channel} />
          </div>
          <div>{sentenceOf(channel)}</div>
          <div className="svc-quiet">
            <Text>{address ?? ''}</Text>
          </div>
          <DisabledBecause reason={disabledBecause} />
          {disabledBecause !== null && kind === 'push' && (
            <p className="al-note">
              Open this page in that browser and choose “Notify this browser”. Then remove this channel.
            </p>
          )}
          {lastAt !== null && (
            <div className="svc-quiet">
              <LastAnswer at={lastAt} answer={lastAnswer} />
            </div>
          )}
          <div role="status">{test.data && <TestResult {...test.data} />}</div>
        </div>
        {!editing && (
          <div className="al-acts">
            <TestButton channel={name} busy={test.isPending} onTest={() => test.mutate(undefined)} />
            <Button variant="default" size="compact-sm" onClick={() => setEditing(true)} aria-label={`Edit ${name}`}>
              Edit
            </Button>
          </div>
        )}
      </div>
      {editing && <MyChannelForm slug={slug} channel={channel} onDone={() => setEditing(false)} />}
    </li>
  )
}
