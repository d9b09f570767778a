import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import ErrorIcon from '@mui/icons-material/ErrorOutlineOutlined';
import InfoIcon from '@mui/icons-material/InfoOutlined';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Quiet, Section } from '../people/Section.tsx';
import { humanised } from '../presentation.ts';
import { ago } from '../trail/ago.ts';
import { type Finding, useDiagnosis, useHealth } from './useOverview.ts';

const marks = { ok: CheckIcon, notice: InfoIcon, wrong: ErrorIcon };
const colours = { ok: 'success', notice: 'warning', wrong: 'error' } as const;
const said = { ok: 'In order', notice: 'To be weighed', wrong: 'Wrong' };

/** Whether the parts serve, which versions run, and what `gatehouse doctor` would complain about. */
export function Parts() {
  const health = useHealth();
  const diagnosis = useDiagnosis();
  const parts = Object.entries(health.data?.checks ?? {}).map(
    ([part, state]): Finding => ({ part, state: state === 'ok' ? 'ok' : 'wrong', what: state }),
  );
  const complaints = diagnosis.data?.findings.filter(({ state }) => state !== 'ok') ?? [];
  return (
    <>
      <Section title="Health">
        {health.error && <Quiet>The service does not answer: {health.error.message}</Quiet>}
        <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2, rowGap: 1, px: 2, pb: 2 }}>
          {parts.map(({ part, state }) => (
            <Box key={part} sx={{ display: 'flex', gap: 0.5, alignItems: 'center' }}>
              <Mark state={state} />
              <Typography variant="body2">{humanised(part)}</Typography>
            </Box>
          ))}
        </Box>
        {diagnosis.data && (
          <Quiet>
            Gatehouse {diagnosis.data.version} on Node {diagnosis.data.node}, {databases.get(diagnosis.data.database)}.
            Started {ago(diagnosis.data.started_at)}.
          </Quiet>
        )}
      </Section>
      <Section title="What needs a look">
        {diagnosis.error && <Quiet>It cannot be shown: {diagnosis.error.message}</Quiet>}
        {diagnosis.data && complaints.length === 0 && (
          <Quiet>Nothing: settings, database, keys and mail are in order.</Quiet>
        )}
        <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
          {complaints.map((finding) => (
            <Complaint key={`${finding.part}: ${finding.what}`} finding={finding} />
          ))}
        </Box>
      </Section>
    </>
  );
}

const databases = new Map([
  ['sqlite', 'SQLite'],
  ['postgres', 'PostgreSQL'],
]);

function Mark({ state }: { state: Finding['state'] }) {
  const Icon = marks[state];
  return <Icon color={colours[state]} fontSize="small" titleAccess={said[state]} />;
}

function Complaint({ finding: { part, state, what, mend } }: { finding: Finding }) {
  return (
    <Box
      component="li"
      sx={{
        px: 2,
        py: 1,
        display: 'flex',
        gap: 1,
        borderTop: '1px solid',
        borderColor: 'divider',
        overflowWrap: 'anywhere',
      }}
    >
      <Mark state={state} />
      <Box sx={{ minWidth: 0 }}>
        <Typography variant="body2">
          {humanised(part)}: {what}
        </Typography>
        {mend && (
          <Typography variant="caption" color="textSecondary" component="p">
            {mend}
          </Typography>
        )}
      </Box>
    </Box>
  );
}
