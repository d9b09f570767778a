import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import ErrorIcon from '@mui/icons-material/ErrorOutlineOutlined';
import InfoIcon from '@mui/icons-material/InfoOutlined';
import OpenIcon from '@mui/icons-material/RadioButtonUnchecked';
import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useStore } from 'react-admin';
import { readData, root } from '../../../console/src/data/api.ts';
import { useDescriptions } from '../../../console/src/data/DescriptionsProvider.tsx';
import { humanizeName, isBuiltin } from '../../../console/src/text/presentation.ts';
import { translate } from '../../../console/src/text/translate.ts';
import { timeAgo } from '../../../console/src/text/value-text.ts';
import { MutedText, Section } from '../../../console/src/widgets/Section.tsx';
import type { Finding } from '../../../src/main/finding.ts';

interface Diagnosis {
  version: string;
  node: string;
  database: string;
  started_at: string;
  findings: Finding[];
}

const useDiagnosis = () =>
  useQuery({ queryKey: ['diagnosis'], staleTime: 60_000, queryFn: () => readData<Diagnosis>('/v1/diagnoses') });

/** Requests the health like a load balancer: a 503 response names the failed part. */
const useHealth = () =>
  useQuery({
    queryKey: ['health'],
    refetchInterval: 30_000,
    queryFn: async (): Promise<{ checks: Record<string, string> }> => (await fetch(`${root}/health/ready`)).json(),
  });

const icons = { ok: CheckIcon, notice: InfoIcon, error: ErrorIcon };
const colours = { ok: 'success', notice: 'warning', error: 'error' } as const;
const labels = { ok: 'OK', notice: 'Worth a look', error: 'Error' };

/** The health of the parts, the running versions, and the problems that `gatehouse doctor` would report. */
export function HealthReport() {
  const health = useHealth();
  const diagnosis = useDiagnosis();
  const parts = Object.entries(health.data?.checks ?? {}).map(
    ([part, state]): Finding => ({ part, state: state === 'ok' ? 'ok' : 'error', summary: state }),
  );
  const problems = diagnosis.data?.findings.filter(({ state }) => state !== 'ok') ?? [];
  return (
    <>
      <Section title={translate('Health')}>
        {health.error && (
          <MutedText>{translate('The service does not respond: {reason}', { reason: health.error.message })}</MutedText>
        )}
        <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2, rowGap: 1, px: 2, pb: 2 }}>
          {parts.map(({ part, state }) => (
            <Box key={part} sx={{ display: 'flex', gap: 0.5, alignItems: 'center' }}>
              <Mark state={state} />
              <span className="small">{translate(humanizeName(part))}</span>
            </Box>
          ))}
        </Box>
        {diagnosis.data && (
          <MutedText>
            {translate('Gatehouse {version} on Node {node}, {database}. Started {when}.', {
              version: diagnosis.data.version,
              node: diagnosis.data.node,
              database: databases.get(diagnosis.data.database),
              when: timeAgo(diagnosis.data.started_at),
            })}
          </MutedText>
        )}
      </Section>
      <Section
        title={translate('Needs attention')}
        error={diagnosis.error}
        empty={
          diagnosis.data &&
          problems.length === 0 &&
          translate('Nothing: settings, database, keys and email are in order.')
        }
      >
        <ul className="lines">
          {problems.map((finding) => (
            <Problem key={`${finding.part}: ${finding.summary}`} finding={finding} />
          ))}
        </ul>
      </Section>
    </>
  );
}

const databases = new Map([
  ['sqlite', 'SQLite'],
  ['postgres', 'PostgreSQL'],
]);

function Mark({ state }: { state: Finding['state'] }) {
  const Icon = icons[state];
  return <Icon color={colours[state]} fontSize="small" titleAccess={translate(labels[state])} />;
}

function Problem({ finding: { part, state, message, ...english } }: { finding: Finding }) {
  const summary = message ? translate(message.summary, message.values) : english.summary;
  const fix = message ? translate(message.fix, message.values) : english.fix;
  const title = translate('{part}: {what}', { part: translate(humanizeName(part)), what: summary });
  return <Line icon={<Mark state={state} />} title={title} text={fix} />;
}

interface Step {
  name: string;
  instruction: string;
  isDone: boolean;
  /** The person ticks a step that the service cannot check. */
  tick?: () => void;
  link?: string;
}

/** The setup steps of a new installation. The list disappears when all steps are done, or when the person hides it. */
export function Checklist() {
  const steps = useSteps();
  const [isHidden, setHidden] = useStore('overview.checklist.hidden', false);
  if (!steps || isHidden || steps.every(({ isDone }) => isDone)) return null;
  return (
    <Section title={translate('Set up')}>
      <Box
        component="ul"
        className="lines"
        sx={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fit, minmax(min(210px, 100%), 1fr))' }}
      >
        {steps.map((step) => (
          <Item key={step.name} step={step} />
        ))}
      </Box>
      <Button size="small" sx={{ m: 1 }} onClick={() => setHidden(true)}>
        {translate('Hide this list')}
      </Button>
    </Section>
  );
}

function useSteps(): Step[] | undefined {
  const { data } = useDiagnosis();
  const descriptions = useDescriptions();
  const [isBackedUp, setBackedUp] = useStore('overview.checklist.backup', false);
  if (!data) return undefined;
  const isFine = (part: RegExp) => !data.findings.some((found) => part.test(found.part) && found.state !== 'ok');
  const isHttps = location.protocol === 'https:';
  const hasResource = [...descriptions.values()].some((description) => !isBuiltin(description));
  return [
    step('Mail', 'Set SMTP_URL, so that people can reset their passwords.', isFine(/^mail$/)),
    step('Address', 'Set BASE_URL to the https address that people use.', isHttps && isFine(/^(address|cookies)$/)),
    {
      ...step('Second factor', 'Add a passkey or an authenticator app to your account.', isFine(/factors$/)),
      link: `${root}/settings/security`,
    },
    {
      ...step('Backup', 'Run “npx gatehouse-server backup” every day, and restore a copy once to try it.', isBackedUp),
      tick: () => setBackedUp(true),
    },
    step('First resource', 'Declare one in the resources folder, such as resources/cars.ts.', hasResource),
  ];
}

const step = (name: string, instruction: string, isDone: boolean): Step => {
  return { name: translate(name), instruction: translate(instruction), isDone };
};

function Item({ step: { name, instruction, isDone, tick, link } }: { step: Step }) {
  const Mark = isDone ? CheckIcon : OpenIcon;
  const title = translate(isDone ? 'Done' : 'Not done yet');
  const icon = <Mark color={isDone ? 'success' : 'disabled'} fontSize="small" titleAccess={title} />;
  if (isDone) return <Line icon={icon} title={name} />;
  const done = translate('Done');
  const button = tick
    ? { children: done, onClick: tick, 'aria-label': translate('{part}: {what}', { part: name, what: done }) }
    : { children: translate('Open'), href: link };
  return (
    <Line icon={icon} title={name} text={instruction}>
      {/* Aligns the text of the button with the text above it. */}
      {(tick || link) && <Button size="small" sx={{ ml: -0.75, minWidth: 0 }} {...button} />}
    </Line>
  );
}

interface LineProps {
  icon: ReactNode;
  title: string;
  text?: string | undefined;
  children?: ReactNode;
}

/** A line of a list in a section: an icon, a title, and a text below it. */
const Line = ({ icon, title, text, children }: LineProps) => (
  <Box component="li" sx={{ display: 'flex', gap: 1 }}>
    {icon}
    <Box sx={{ minWidth: 0, flex: 1 }}>
      <p className="small">{title}</p>
      {text && <p className="caption quiet">{text}</p>}
      {children}
    </Box>
  </Box>
);
