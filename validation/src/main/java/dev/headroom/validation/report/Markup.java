package dev.headroom.validation.report;

import java.io.StringWriter;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Writes elements that are closed and text that is escaped, whatever it holds. */
final class Markup {
    /** What XML 1.0 cannot hold even when it is escaped. */
    private static final String FORBIDDEN = "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]";

    private final StringWriter text = new StringWriter();
    private final XMLStreamWriter xml;

    /** Writes a part of the content of an element. */
    @FunctionalInterface
    interface Content {
        void write(Markup markup);
    }

    Markup() {
        try {
            xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
        } catch (XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An element; {@code attributes} are names and values in turn. */
    Markup element(String name, Content content, String... attributes) {
        try {
            xml.writeStartElement(name);
            for (int i = 0; i < attributes.length; i += 2) {
                xml.writeAttribute(attributes[i], clean(attributes[i + 1]));
            }
            content.write(this);
            xml.writeCharacters(""); // a start tag and an end tag even when there is nothing between
            xml.writeEndElement();
            return this;
        } catch (XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An element of text. */
    Markup element(String name, String content, String... attributes) {
        return element(name, m -> m.text(content), attributes);
    }

    /** Text. */
    Markup text(String content) {
        try {
            xml.writeCharacters(clean(content));
            return this;
        } catch (XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String clean(String content) {
        return content.replaceAll(FORBIDDEN, "?");
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
