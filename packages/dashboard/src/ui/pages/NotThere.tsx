import { paths } from '../../paths.ts'
import { ButtonLink } from '../links.tsx'
import { Empty, type EmptyProps } from '../page/Empty.tsx'

const ways = {
  fleet: [paths.fleet, 'Back to agents'],
  actions: [paths.actions, 'Back to actions'],
  updates: [paths.updates, 'Back to updates'],
  blueprints: [paths.blueprints, 'Back to blueprints'],
} as const

/**
 * Says that the thing named in the page's address does not exist, and links back to the list of such things. The title
 * is the page's heading.
 */
export function NotThere({
  slug,
  back,
  ...empty
}: Omit<EmptyProps, 'action' | 'help' | 'order'> & { slug: string; back: keyof typeof ways }) {
  const [to, words] = ways[back]
  return (
    <Empty
      {...empty}
      help={null}
      order={1}
      action={
        <ButtonLink to={to} params={{ slug }} variant="default">
          {words}
        </ButtonLink>
      }
    />
  )
}
