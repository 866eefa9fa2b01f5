import { IconRobot } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { read } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import { Empty, ErrorNote, PageHeader, useDocumentTitle } from '../ui/index.ts'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { BotSection } from './BotSection.tsx'
import { Products } from './Products.tsx'
import './bots.css'

/** The bots of the workspace: accounts that agents use in other products (2.9). */
export function BotsPage() {
  const slug = useSlug()
  const { name, role } = useWorkspace()
  const { data, error, refetch } = useQuery(read('GET /w/:slug/bots', { slug }))
  useDocumentTitle('Bots', name)
  return (
    <>
      <PageHeader
        title="Bots"
        note={
          <>
            Accounts your agents use in other products. Created at installation.
            {data ? ` ${data.rows.length} of ${data.most} used.` : ''}
          </>
        }
      />
      <div className="svc-column bot-page">
        {error && <ErrorNote error={error} retry={refetch} />}
        {!data && !error && <WaitingPage />}
        {data && data.rows.length >= data.most && (
          <p className="svc-notice" role="note">
            <strong>The limit of bots is reached.</strong> Installations that need a new bot are refused. Delete a bot
            that is no longer needed.
          </p>
        )}
        {data &&
          (data.rows.length === 0 ? (
            <Empty icon={IconRobot} title="No bots yet" help="blueprints#bots">
              A bot is created when you install a blueprint whose bindings name another product.
            </Empty>
          ) : (
            data.rows.map((bot) => <BotSection key={bot.id} slug={slug} bot={bot} admin={role === 'admin'} />)
          ))}
        <Products slug={slug} />
      </div>
    </>
  )
}
