import type { Habits, Preference } from './columns.ts';

/** One export that is recognised by its columns; every name as `plainName` has it. To add one, add an entry and a file for its test. */
export interface Export {
  /** For people. */
  readonly name: string;
  /** All of these columns are there; of names with a bar between them one is enough. */
  readonly needs: readonly string[];
  /** Columns that come before all others for a field, in this order. */
  readonly first?: Preference;
  readonly habits?: Habits;
  /** The rows that are equal in this column are one conversation. */
  readonly rowsOf?: string;
  /** The rows of one conversation name the row they answer. */
  readonly answers?: { readonly id: string; readonly to: string };
}

/** Checked in this order: the first whose columns are all there is the file's. */
export const helpdesks: readonly Export[] = [
  {
    name: 'Zendesk, tickets as JSON',
    needs: ['via.channel', 'subject', 'requesterid|requester.id|requester.email'],
    first: { body: ['description'], from: ['requester.email', 'requester.name', 'requesterid'] },
    habits: { twins: ['rawsubject'], unwanted: { status: ['deleted'] } },
  },
  {
    name: 'Zendesk, view as CSV',
    needs: ['id', 'subject', 'requester', 'submitter', 'assignee', 'via'],
    first: { from: ['requesteremail', 'requester'], createdAt: ['createdat', 'requested'] },
    habits: { spacedTags: true, unwanted: { status: ['deleted'] } },
  },
  {
    name: 'Zendesk, tickets as CSV',
    needs: ['id', 'subject', 'requesteremail|requestername', 'assignee', 'satisfactionscore'],
    habits: { spacedTags: true, unwanted: { status: ['deleted'] } },
  },
  {
    name: 'Freshdesk, tickets as JSON',
    needs: ['descriptiontext', 'subject', 'requesterid|requester.id'],
    first: {
      body: ['descriptiontext', 'description'],
      from: ['requester.email', 'email', 'requester.name', 'requesterid'],
    },
    habits: {
      html: true,
      plain: ['descriptiontext'],
      twins: ['description'],
      unwanted: { spam: ['true'] },
      words: {
        priority: { 1: 'Low', 2: 'Medium', 3: 'High', 4: 'Urgent' },
        status: { 2: 'Open', 3: 'Pending', 4: 'Resolved', 5: 'Closed' },
        source: {
          1: 'Email',
          2: 'Portal',
          3: 'Phone',
          7: 'Chat',
          9: 'Feedback Widget',
          10: 'Outbound Email',
        },
      },
    },
  },
  {
    name: 'Freshdesk, list as CSV',
    needs: ['ticketid', 'subject', 'resolutionstatus', 'firstresponsestatus'],
    first: { from: ['fullname', 'contactemail', 'contactid'] },
    // The contact's job.
    habits: { others: ['title'] },
  },
  {
    name: 'Intercom, conversations as JSON',
    needs: ['source.deliveredas', 'state'],
    first: { subject: ['source.subject', 'title'], from: ['contacts.contacts.email'] },
    habits: { html: true },
  },
  {
    name: 'Jira, issues as CSV',
    needs: ['issuekey', 'issueid', 'summary'],
    habits: { datedComments: true },
  },
  {
    name: 'Jira, issues as JSON',
    needs: ['key', 'fields.summary'],
    first: {
      id: ['key'],
      from: ['fields.reporter.emailaddress', 'fields.reporter.displayname', 'fields.reporter.name'],
      priority: ['fields.priority.name'],
    },
  },
  {
    name: 'GitHub, issues of the REST API',
    needs: ['number', 'title', 'user.login', 'htmlurl'],
    first: { id: ['number'], from: ['user.login'] },
  },
  {
    name: 'GitHub, gh issue list',
    needs: ['number', 'title', 'author.login'],
    first: { id: ['number'], from: ['author.login'] },
  },
  {
    name: 'GitLab, issues as JSON',
    needs: ['iid', 'title', 'author.username'],
    first: { id: ['iid'], from: ['author.username'] },
  },
  {
    name: 'ServiceNow, records',
    needs: ['number', 'shortdescription', 'sysid|sysupdatedon|syscreatedon|openedat|callerid|caller'],
    first: {
      id: ['number'],
      from: ['callerid', 'caller', 'callerid.value', 'openedby', 'openedby.value'],
      createdAt: ['openedat', 'opened', 'syscreatedon'],
      updatedAt: ['sysupdatedon'],
    },
    habits: {
      words: {
        priority: { 1: 'Critical', 2: 'High', 3: 'Moderate', 4: 'Low', 5: 'Planning' },
        impact: { 1: 'High', 2: 'Medium', 3: 'Low' },
        urgency: { 1: 'High', 2: 'Medium', 3: 'Low' },
      },
    },
  },
  {
    name: 'Help Scout, conversations as JSON',
    needs: ['mailboxid', 'number', 'subject'],
    first: {
      id: ['number'],
      body: ['preview'],
      from: ['primarycustomer.email', 'customer.email', 'createdby.email'],
      updatedAt: ['userupdatedat'],
    },
    habits: { html: true },
  },
  {
    name: 'HubSpot, tickets as CSV',
    needs: ['ticketid', 'ticketname', 'ticketstatus'],
    first: {
      subject: ['ticketname'],
      body: ['ticketdescription'],
      from: ['associatedcontact', 'associatedcontacts'],
    },
  },
  {
    name: 'HubSpot, tickets of the API',
    needs: ['properties.subject', 'properties.hspipeline|properties.hspipelinestage'],
    first: {
      id: ['id'],
      body: ['properties.content'],
      from: ['properties.hsticketcontactemail', 'properties.email'],
      createdAt: ['properties.createdate'],
      priority: ['properties.hsticketpriority'],
      updatedAt: ['properties.hslastmodifieddate', 'updatedat'],
    },
  },
  {
    name: 'Zammad, tickets as JSON',
    needs: ['number', 'title', 'articlecount|articleids', 'customer|customerid'],
    first: { id: ['number'], from: ['customer', 'customerid'] },
  },
  {
    name: 'Front, conversations as JSON',
    needs: ['recipient.handle', 'subject'],
    first: { from: ['recipient.handle'] },
    habits: { html: true },
  },
  {
    name: 'osTicket, queue as CSV',
    needs: ['ticketnumber', 'datecreated', 'helptopic|currentstatus'],
    first: { id: ['ticketnumber'], from: ['fromemail', 'from'] },
  },
  {
    name: 'Gorgias, tickets as JSON',
    needs: ['createddatetime', 'subject', 'customer.id|customer.email'],
    first: { createdAt: ['createddatetime'], updatedAt: ['updateddatetime'], body: ['excerpt'] },
  },
  {
    name: 'Zoho Desk, tickets as JSON',
    needs: ['ticketnumber', 'subject', 'createdtime', 'departmentid'],
    first: { id: ['ticketnumber'], from: ['email', 'contact.email'], updatedAt: ['modifiedtime'] },
    habits: { html: true },
  },
  {
    name: 'Salesforce, cases',
    needs: ['casenumber', 'subject', 'origin|caseorigin|suppliedemail'],
    first: {
      id: ['casenumber'],
      from: ['suppliedemail', 'contactemail', 'contact.email', 'suppliedname', 'contactname', 'contactid'],
      createdAt: ['createddate', 'date/timeopened'],
    },
  },
  {
    name: 'Linear, issues as CSV',
    needs: ['id', 'title', 'team', 'cyclenumber|parentissue|projectid'],
    first: { from: ['creator'] },
  },
  {
    name: 'Trello, cards as CSV',
    needs: ['cardid', 'cardname', 'cardurl'],
    first: {
      id: ['cardid'],
      subject: ['cardname'],
      body: ['carddescription'],
      updatedAt: ['lastactivitydate'],
    },
  },
];
