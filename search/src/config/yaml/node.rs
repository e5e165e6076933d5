//! A tree of plain data in which every node, and every key, knows its line.
//!
//! Old names are upgraded and the schema is checked on this tree, so that an error about a key that
//! was moved still points at the line where the user wrote it.

use serde_json::{Map, Number, Value};

/// A value with the line it begins on; line 0 for what no file holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) data: Data,
}

/// Plain data, as in JSON.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    /// Line of the key, which is where a reader looks.
    pub(crate) line: usize,
    pub(crate) node: Node,
}

impl Node {
    /// A text node.
    pub(crate) fn text(line: usize, text: &str) -> Node {
        Node {
            line,
            data: Data::Text(text.to_owned()),
        }
    }

    /// An empty map.
    pub(crate) fn map(line: usize) -> Node {
        Node {
            line,
            data: Data::Map(Vec::new()),
        }
    }

    /// The text, when it is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::List(_) | Data::Map(_) => None,
        }
    }

    /// The items, when it is a list.
    pub(crate) fn as_list(&self) -> &[Node] {
        match &self.data {
            Data::List(items) => items,
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::Map(_) => &[],
        }
    }

    /// The items, when it is a list.
    pub(crate) fn as_list_mut(&mut self) -> &mut [Node] {
        match &mut self.data {
            Data::List(items) => items,
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::Map(_) => &mut [],
        }
    }

    /// The entries, when it is a map.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.data {
            Data::Map(entries) => entries,
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) => &[],
        }
    }

    /// The entries, when it is a map.
    pub(crate) fn entries_mut(&mut self) -> Option<&mut Vec<Entry>> {
        match &mut self.data {
            Data::Map(entries) => Some(entries),
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) => None,
        }
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries()
            .iter()
            .find(|e| e.key == key)
            .map(|e| &e.node)
    }

    /// The value of a key.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries_mut()?
            .iter_mut()
            .find(|e| e.key == key)
            .map(|e| &mut e.node)
    }

    /// The text of a key, when it is one.
    pub(crate) fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text()
    }

    /// The line of a key.
    pub(crate) fn line_of(&self, key: &str) -> Option<usize> {
        self.entries().iter().find(|e| e.key == key).map(|e| e.line)
    }

    /// Takes a key out.
    pub(crate) fn take(&mut self, key: &str) -> Option<Entry> {
        let entries = self.entries_mut()?;
        let at = entries.iter().position(|e| e.key == key)?;
        Some(entries.remove(at))
    }

    /// Puts a key in at the end, when this is a map that does not have it. Says whether it did.
    pub(crate) fn put(&mut self, key: &str, line: usize, node: Node) -> bool {
        let Some(entries) = self.entries_mut() else {
            return false;
        };
        if entries.iter().any(|e| e.key == key) {
            return false;
        }
        entries.push(Entry {
            key: key.to_owned(),
            line,
            node,
        });
        true
    }

    /// The map under a key, made when it is absent or null.
    pub(crate) fn map_at(&mut self, key: &str, line: usize) -> Option<&mut Node> {
        if self.get(key).is_none() {
            self.put(key, line, Node::map(line));
        }
        let node = self.get_mut(key)?;
        if node.data == Data::Null {
            *node = Node::map(line);
        }
        Some(node)
    }

    /// The same tree without lines.
    pub(crate) fn to_value(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(b) => Value::Bool(*b),
            Data::Number(n) => Value::Number(n.clone()),
            Data::Text(text) => Value::String(text.clone()),
            Data::List(items) => Value::Array(items.iter().map(Node::to_value).collect()),
            Data::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|e| (e.key.clone(), e.node.to_value()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// A tree of which no file holds the lines.
    pub(crate) fn from_value(value: &Value) -> Node {
        let data = match value {
            Value::Null => Data::Null,
            Value::Bool(b) => Data::Bool(*b),
            Value::Number(n) => Data::Number(n.clone()),
            Value::String(text) => Data::Text(text.clone()),
            Value::Array(items) => Data::List(items.iter().map(Node::from_value).collect()),
            Value::Object(map) => Data::Map(
                map.iter()
                    .map(|(key, v)| Entry {
                        key: key.clone(),
                        line: 0,
                        node: Node::from_value(v),
                    })
                    .collect(),
            ),
        };
        Node { line: 0, data }
    }
}
