import { Center, Loader } from '@mantine/core'

export const WaitingPage = () => (
  <Center mih={320} role="status" aria-label="Loading">
    <Loader size="sm" type="dots" />
  </Center>
)
