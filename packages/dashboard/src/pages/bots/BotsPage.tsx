import { IconRobot } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { botsQuery } from '../../queries.ts'
import { Empty, ErrorNote, PageHeader, useDocumentTitle } from '../../ui/index.ts'
import { useSlug, useWorkspace } from '../../workspace.ts'
import { WaitingPage } from '../WaitingPage.tsx'
import { BotSection } from './BotSection.tsx'
import { Products } from './Products.tsx'
import './bots.css'

/** Who acts for the agents in other products, and with what (2.9). */
export function BotsPage() {
  const slug = useSlug()
  const { name, role } = useWorkspace()
  const { data, error, refetch } = useQuery(botsQuery(slug))
  useDocumentTitle('Bots', name)
  return (
    <>
      <PageHeader
        title="Bots"
        note={
          <>
            They act for agents in other products. An installation makes them, or takes one that is there
            {data ? `; ${data.rows.length} of ${data.most} are in use.` : '.'}
          </>
        }
      />
      <div className="bot-page">
        {error && <ErrorNote error={error} retry={refetch} />}
        {!data && !error && <WaitingPage />}
        {data && data.rows.length >= data.most && (
          <p className="bot-full" role="note">
            <strong>There is no room for another bot.</strong> An installation that needs a new one is refused. Delete
            one that nobody needs any more.
          </p>
        )}
        {data &&
          (data.rows.length === 0 ? (
            <Empty icon={IconRobot} title="No bots yet">
              A blueprint that works with another product says so in its bindings; installing it makes the bot.
            </Empty>
          ) : (
            data.rows.map((bot) => <BotSection key={bot.id} slug={slug} bot={bot} admin={role === 'admin'} />)
          ))}
        <Products slug={slug} />
      </div>
    </>
  )
}
